import type { FastifyReply } from "fastify";
import type { Principal } from "../../access/principal.ts";
import { newId } from "../../flow/ids.ts";
import { type Denial, notFound } from "../answer/problem.ts";
import { type Ground, type Streams, stillThere } from "../guard/streams.ts";

interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
}

/** A watched list on a shared stream. */
export interface Topic {
  /** Called once the stream is over, or the list is no longer wanted on it. */
  forget(): void;
}

/** One connection that carries any number of watched lists, each under a number that its reader chose. */
export class SharedStream {
  readonly id = newId("");
  readonly principal: Principal;
  readonly reply: FastifyReply;
  readonly topics = new Map<number, Topic>();
  /** The roles it was opened with; after a change of roles the client must open a new stream. */
  readonly roles: string;

  constructor(principal: Principal, reply: FastifyReply) {
    this.principal = principal;
    this.reply = reply;
    this.roles = JSON.stringify(principal.user.bindings);
  }

  /** Ends the list under a number; with `only`, if that is still the one. */
  leave(number: number, only?: Topic): void {
    const topic = this.topics.get(number);
    if (topic === undefined || (only !== undefined && topic !== only)) return;
    this.topics.delete(number);
    topic.forget();
  }
}

/** Often enough that a reader soon notices a server that is gone without a word. */
const beatMs = 5_000;

/**
 * Streams of browsers, which have few connections for all their windows. A list is watched on one by an ordinary
 * request for the list that names the stream, so that it is allowed, counted and noted like any other.
 */
export class SharedStreams {
  readonly #ground: Ground;
  readonly #streams: Streams;
  readonly #open = new Map<string, SharedStream>();
  readonly #beat: NodeJS.Timeout;

  constructor(ground: Ground, streams: Streams) {
    this.#ground = ground;
    this.#streams = streams;
    this.#beat = setInterval(() => {
      for (const { reply } of this.#open.values()) reply.raw.write(": still here\n\n");
    }, beatMs).unref();
  }

  /** Answers with a stream that carries nothing yet. */
  open({ principal, requestId }: Caller, reply: FastifyReply): Denial | undefined {
    const full = this.#streams.full(principal);
    if (full !== undefined) return full;
    beginEvents(reply, requestId);
    const { raw } = reply;
    const stream = new SharedStream(principal, reply);
    this.#open.set(stream.id, stream);
    const uncount = this.#streams.add({ principal, over: () => this.#isOver(stream), end: () => raw.end() });
    raw.on("close", () => {
      uncount();
      this.#open.delete(stream.id);
      for (const number of [...stream.topics.keys()]) stream.leave(number);
    });
    raw.on("error", () => raw.destroy());
    raw.write(`event: open\ndata: ${JSON.stringify({ stream: stream.id })}\n\n`);
    return undefined;
  }

  /** The caller's own stream and the number in `STREAM-NUMBER`; of others' streams nothing is told. */
  find(name: string, { token }: Principal): { readonly stream: SharedStream; readonly number: number } | Denial {
    const [, id, number] = /^([a-z0-9]{16})-(\d{1,9})$/.exec(name) ?? [];
    const stream = this.#open.get(id ?? "");
    if (stream === undefined || stream.principal.token.id !== token.id) return notFound("stream");
    return { stream, number: Number(number) };
  }

  /** How much is open with the caller's token. */
  countOf({ token }: Principal): { streams: number; lists: number } {
    const own = [...this.#open.values()].filter(({ principal }) => principal.token.id === token.id);
    return { streams: own.length, lists: own.reduce((sum, { topics }) => sum + topics.size, 0) };
  }

  close(): void {
    clearInterval(this.#beat);
    for (const { reply } of this.#open.values()) reply.raw.end();
  }

  #isOver({ principal, roles }: SharedStream): boolean {
    const now = stillThere(this.#ground, principal);
    return now === undefined || JSON.stringify(now.user.bindings) !== roles;
  }
}

/** Begins to answer with events, past the framework, for as long as it lasts. */
export function beginEvents(reply: FastifyReply, requestId: string): void {
  reply.hijack();
  const { raw } = reply;
  raw.socket?.setTimeout(0); // the heartbeat notices lost clients soon enough
  raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-request-id": requestId,
  });
}
