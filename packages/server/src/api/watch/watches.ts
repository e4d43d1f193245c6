import type { IncomingHttpHeaders } from "node:http";
import type { Event, ReadonlyState } from "@tessera/core";
import type { RouteId } from "@tessera/wire";
import { streamHeader } from "@tessera/wire/addresses";
import type { FastifyReply } from "fastify";
import { newId } from "../../flow/ids.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { whenLeft } from "../away/away.ts";
import type { Api, Call } from "../context.ts";
import { accessKinds, stillThere } from "../guard/streams.ts";
import { answerTold, beginEvents } from "./shared.ts";
import type { Source } from "./source.ts";
import { sourceOf } from "./sources.ts";

export interface WatchLimits {
  readonly heartbeatMs: number;
  /** How long a lost stream can be taken up again, and how many of its events are kept for that. */
  readonly resumeMs: number;
  readonly eventsKeptMax: number;
  /** A reader that leaves this much unread is cut off. */
  readonly unreadBytesMax: number;
}

export const usualWatchLimits: WatchLimits = {
  heartbeatMs: 15_000,
  resumeMs: 60_000,
  eventsKeptMax: 1_000,
  unreadBytesMax: 1_048_576,
};

const endedMeanwhile = deny(
  "unavailable",
  "The list changed or your roles changed while it was being read.",
  "Request it again.",
);

const sessionsMax = 10_000;
const backlogMax = 10_000;

/** One watcher, while connected and for a while after. */
class Session {
  readonly id = newId("");
  readonly call: Call<RouteId>;
  readonly request: string;
  readonly source: Source;
  /** The roles it was opened with; after a change of roles the client must open a new stream. */
  readonly roles: string;
  readonly kept: { readonly number: number; readonly text: string }[] = [];
  keptLength = 0;
  number = 0;
  reply: FastifyReply | undefined;
  /** Since when nobody reads it: until its list is read, or after its connection was lost. */
  lostAt = performance.now();
  lookAt = 0;
  dirty = false;
  looking = false;
  /** Its number on a stream that it shares with others; its events are told under it, and kept for no return. */
  readonly topic: number | undefined;

  constructor(call: Call<RouteId>, request: string, source: Source, topic?: number) {
    this.topic = topic;
    this.call = call;
    this.request = request;
    this.source = source;
    this.roles = JSON.stringify(call.principal.user.bindings);
  }
}

/** All open event streams. Each is told what changed at most ten times a second, and cut off when it does not read. */
export class Watches {
  readonly #api: Api;
  readonly #limits: WatchLimits;
  readonly #sessions = new Map<string, Session>();
  /** Those whose source wants to be shown each event. */
  readonly #seeing = new Set<Session>();
  readonly #stop: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(api: Api, limits: WatchLimits) {
    this.#api = api;
    this.#limits = limits;
    this.#stop = api.control.follow({
      before: (event, state) => this.#see(event, state),
      after: (batch) => this.#batch(batch.events),
    });
    this.#heartbeat = setInterval(() => this.#beat(), limits.heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Answers a request with an event stream; a denial when it cannot be watched. */
  async open(
    route: RouteId,
    call: Call<RouteId>,
    headers: IncomingHttpHeaders,
    reply: FastifyReply,
  ): Promise<Denial | undefined> {
    const name = headers[streamHeader];
    if (typeof name === "string") return this.#join(name, route, call, reply);
    const left = whenLeft(reply);
    const lastEventId = headers["last-event-id"];
    const request = `${route} ${JSON.stringify(call.query)}`;
    const resumed = typeof lastEventId === "string" ? this.#resume(request, call, lastEventId) : undefined;
    if (resumed !== undefined) {
      this.#attach(resumed.session, reply, resumed.missed.join(""));
      this.#markDirty(resumed.session);
      return undefined;
    }
    const full = this.#api.streams.full(call.principal);
    if (full !== undefined) return full;
    const source = await sourceOf(this.#api, route, call);
    if (isDenied(source)) return source;
    const session = new Session(call, request, source);
    this.#add(session);
    const items = await this.#first(session, left);
    if (isDenied(items)) return items;
    if (left.aborted) {
      this.#forget(session); // its close was heard already, so it would be counted for ever
      return endedMeanwhile;
    }
    this.#attach(session, reply, this.#text(session, "sync", { items }));
    if (source.more) this.#markDirty(session);
    return undefined;
  }

  /** Watches a list on a stream that is open already: the answer says only that it is. */
  async #join(name: string, route: RouteId, call: Call<RouteId>, reply: FastifyReply): Promise<Denial | undefined> {
    const early = this.#api.shared.find(name, call.principal);
    if (isDenied(early)) return early;
    const source = await sourceOf(this.#api, route, call);
    if (isDenied(source)) return source;
    // Found again: meanwhile the stream may have closed, and another list may have got the number, which is left too.
    const topic = { over: () => this.#isOver(session), forget: () => this.#forget(session) };
    const found = this.#api.shared.join(name, call.principal, topic);
    if (isDenied(found)) return found;
    const { stream, number } = found;
    const session = new Session(call, "", source, number);
    this.#add(session);
    let items: readonly object[] | Denial | undefined;
    try {
      items = await this.#first(session, whenLeft(reply));
    } finally {
      if (items === undefined || isDenied(items)) stream.leave(number, topic);
    }
    if (isDenied(items)) return items;
    session.reply = stream.reply;
    this.#write(session, this.#text(session, "sync", { items }));
    this.#schedule();
    if (source.more) this.#markDirty(session);
    answerTold(reply);
    return undefined;
  }

  /** The list as it begins. Reading it may take long: meanwhile its reader may leave, or lose the right to it. */
  async #first(session: Session, left: AbortSignal): Promise<readonly object[] | Denial> {
    try {
      const items = await session.source.sync(left);
      if (isDenied(items)) this.#forget(session);
      return isDenied(items) || this.#sessions.has(session.id) ? items : endedMeanwhile;
    } catch (error) {
      this.#forget(session);
      throw error;
    }
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#timer);
    for (const session of this.#sessions.values()) session.reply?.raw.end();
    this.#sessions.clear();
    this.#seeing.clear();
  }

  /** Makes room by forgetting the stream that was lost first. */
  #add(session: Session): void {
    if (this.#sessions.size >= sessionsMax) {
      for (const lost of this.#sessions.values()) {
        if (lost.reply !== undefined) continue;
        this.#forget(lost);
        break;
      }
    }
    this.#sessions.set(session.id, session);
    if (session.source.see !== undefined) this.#seeing.add(session);
  }

  #forget(session: Session): void {
    this.#sessions.delete(session.id);
    this.#seeing.delete(session);
  }

  /** The stream that this event belonged to, if it is the same caller's, for the same request, and still known. */
  #resume(request: string, call: Call<RouteId>, lastEventId: string) {
    const [, id, number] = /^([a-z0-9]{16})-(\d{1,15})$/.exec(lastEventId) ?? [];
    const session = this.#sessions.get(id ?? "");
    const last = Number(number);
    if (session === undefined || session.request !== request || session.call.principal.token !== call.principal.token)
      return undefined;
    const first = session.kept[0]?.number ?? session.number + 1;
    if (last > session.number || last < first - 1) return undefined;
    session.reply?.raw.destroy();
    return { session, missed: session.kept.filter((event) => event.number > last).map((event) => event.text) };
  }

  #attach(session: Session, reply: FastifyReply, first: string): void {
    beginEvents(reply, session.call.requestId);
    const { raw } = reply;
    session.reply = reply;
    const { principal } = session.call;
    const uncount = this.#api.streams.add({
      principal,
      over: () => this.#isOver(session),
      end: () => this.#end(session),
    });
    raw.on("close", () => {
      uncount();
      if (session.reply !== reply) return;
      session.reply = undefined;
      session.lostAt = performance.now();
    });
    raw.on("error", () => raw.destroy());
    raw.write(first === "" ? ": welcome back\n\n" : first);
    this.#schedule(); // marking does so only once, and it may have been marked before
  }

  /** Whether its caller is gone, or has other roles than when it was opened; the client must open a new one. */
  #isOver({ call, roles }: Session): boolean {
    const principal = stillThere(this.#api, call.principal);
    return principal === undefined || JSON.stringify(principal.user.bindings) !== roles;
  }

  #end(session: Session): void {
    this.#forget(session);
    session.reply?.raw.end();
  }

  #text(session: Session, event: string, data: unknown): string {
    if (session.topic !== undefined) return `event: ${session.topic}.${event}\ndata: ${JSON.stringify(data)}\n\n`;
    const number = ++session.number;
    const text = `event: ${event}\nid: ${session.id}-${number}\ndata: ${JSON.stringify(data)}\n\n`;
    session.kept.push({ number, text });
    session.keptLength += text.length;
    const { eventsKeptMax, unreadBytesMax } = this.#limits;
    while (session.kept.length > eventsKeptMax || session.keptLength > unreadBytesMax) {
      session.keptLength -= session.kept.shift()!.text.length;
    }
    return text;
  }

  #see(event: Event, state: ReadonlyState): void {
    for (const session of this.#seeing) {
      session.source.see!(event, state);
      // The client may never return; if it does, it gets the whole list.
      if (session.reply === undefined && session.source.backlog! > backlogMax) this.#forget(session);
    }
  }

  #batch(events: readonly Event[]): void {
    if (this.#sessions.size === 0) return;
    if (events.some((event) => accessKinds.has(event.kind))) this.#recheck();
    for (const session of this.#sessions.values()) this.#markDirty(session);
  }

  /** A lost stream is not counted, but must not be taken up again either. */
  #recheck(): void {
    for (const session of this.#sessions.values()) if (this.#isOver(session)) this.#end(session);
  }

  #markDirty(session: Session): void {
    if (session.dirty) return;
    session.dirty = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#closed) return;
    let soonest = Number.POSITIVE_INFINITY;
    for (const session of this.#sessions.values()) {
      if (session.dirty && session.reply !== undefined && !session.looking) soonest = Math.min(soonest, session.lookAt);
    }
    if (soonest === Number.POSITIVE_INFINITY) return;
    const wait = Math.max(10, soonest - performance.now());
    this.#timer = setTimeout(() => this.#lookAround(), wait);
  }

  #lookAround(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const session of this.#sessions.values()) {
      if (session.dirty && session.reply !== undefined && !session.looking && session.lookAt <= now)
        void this.#look(session);
    }
    this.#schedule();
  }

  async #look(session: Session): Promise<void> {
    session.dirty = false;
    session.looking = true;
    try {
      const changes = await session.source.changes();
      let text = "";
      for (const change of changes) {
        text += this.#text(session, change.event, change.event === "put" ? change.item : { id: change.id });
      }
      if (text !== "") this.#write(session, text);
    } catch {
      // The store does not answer now. The stream ends; its reader takes it up again when it does.
      this.#forget(session);
      session.reply?.raw.end();
    } finally {
      session.looking = false;
      session.lookAt = performance.now() + session.source.everyMs;
      if (session.source.more) session.dirty = true;
      this.#schedule();
    }
  }

  #write(session: Session, text: string): void {
    const raw = session.reply?.raw;
    if (raw === undefined) return;
    // What was written before and is still here after a whole look has not been read.
    if (raw.writableLength > this.#limits.unreadBytesMax) raw.destroy();
    else raw.write(text);
  }

  #beat(): void {
    for (const session of this.#sessions.values()) {
      if (session.topic !== undefined) continue; // the stream that it shares has a beat of its own
      if (session.reply === undefined) {
        if (performance.now() - session.lostAt > this.#limits.resumeMs) this.#forget(session);
      } else this.#write(session, ": still here\n\n");
    }
  }
}
