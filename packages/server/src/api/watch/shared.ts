import { once } from "node:events";
import type { FastifyReply } from "fastify";
import type { Principal } from "../../access/principal.ts";
import { newId } from "../../flow/ids.ts";
import { type Denial, isDenied, notFound } from "../answer/problem.ts";
import { type Ground, type Streams, stillThere } from "../guard/streams.ts";

interface Caller {
  readonly principal: Principal;
  readonly requestId: string;
}

/** A watched list or a log on a shared stream. */
export interface Topic {
  /** Whether its reader's right is gone: the stream is ended then. */
  over(): boolean;
  /** Called once the stream is over, or the topic is no longer wanted on it. */
  forget(): void;
}

/** The stream that a request names, and the number under which it is told there. */
export interface Place {
  readonly stream: SharedStream;
  readonly number: number;
}

/** One connection that carries any number of watched lists and logs, each under a number that its reader chose. */
export class SharedStream {
  readonly id = newId("");
  readonly principal: Principal;
  readonly reply: FastifyReply;
  readonly topics = new Map<number, { readonly topic: Topic; readonly uncount: () => void }>();
  #turn: Promise<void> = Promise.resolve();
  /** The roles it was opened with; after a change of roles the client must open a new stream. */
  readonly roles: string;

  constructor(principal: Principal, reply: FastifyReply) {
    this.principal = principal;
    this.reply = reply;
    this.roles = JSON.stringify(principal.user.bindings);
  }

  /** Ends what is told under a number; with `only`, if that is still the one. */
  leave(number: number, only?: Topic): void {
    const found = this.topics.get(number);
    if (found === undefined || (only !== undefined && found.topic !== only)) return;
    this.topics.delete(number);
    found.uncount();
    found.topic.forget();
  }

  /**
   * Tells an event once the reader has taken what was told before. One after the other: logs may print without end, and
   * however many of them share the stream, no more than one part of one of them waits in the connection.
   */
  tell(number: number, event: string, json: string, gone: AbortSignal): Promise<void> {
    const told = this.#turn.then(async () => {
      if (gone.aborted) return;
      const { raw } = this.reply;
      if (raw.writableNeedDrain) await taken(raw, gone);
      raw.write(`event: ${number}.${event}\ndata: ${json}\n\n`);
    });
    this.#turn = told.catch(() => {});
    return told;
  }
}

/** Often enough that a reader soon notices a server that is gone without a word. */
const beatMs = 5_000;

/**
 * Streams of browsers, which have few connections for all their windows. A list or a log is told on one by an ordinary
 * request for it that names the stream, so that it is allowed, counted and noted like any other.
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
  find(name: string, { token }: Principal): Place | Denial {
    const [, id, number] = /^([a-z0-9]{16})-(\d{1,9})$/.exec(name) ?? [];
    const stream = this.#open.get(id ?? "");
    if (stream === undefined || stream.principal.token.id !== token.id) return notFound("stream");
    return { stream, number: Number(number) };
  }

  /** Puts a topic where a request names it, in place of what is told there, and counts it like a stream of its own. */
  join(name: string, principal: Principal, topic: Topic): Place | Denial {
    const found = this.find(name, principal);
    if (isDenied(found)) return found;
    const { stream, number } = found;
    stream.leave(number);
    const full = this.#streams.full(principal);
    if (full !== undefined) return full;
    const end = () => stream.reply.raw.end();
    const uncount = this.#streams.add({ principal, over: () => topic.over(), end });
    stream.topics.set(number, { topic, uncount });
    return found;
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

/** A reader that takes nothing for this long is cut off. */
const unreadMsMax = 60_000;

/** Until a reader has taken what was written; throws where it does not, or where it is no longer wanted. */
export async function taken(raw: NodeJS.WritableStream, gone: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(unreadMsMax);
  await once(raw as never, "drain", { signal: AbortSignal.any([gone, late]) });
}

/** What a request is answered whose topic is told on a stream. */
export function answerTold(reply: FastifyReply): void {
  reply.header("content-type", "text/event-stream; charset=utf-8").send(": told on the stream\n\n");
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
