import { type EventSourceMessage, EventSourceParserStream } from "eventsource-parser/stream";

/** One message of an event stream, as a test reads it. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

/** Follows an event stream and hands out its messages one by one. */
export class EventStream {
  readonly response: Response;
  readonly #abort: AbortController;
  readonly #messages: AsyncIterator<EventSourceMessage>;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    const text = response.body!.pipeThrough(new TextDecoderStream());
    this.#messages = text.pipeThrough(new EventSourceParserStream())[Symbol.asyncIterator]();
  }

  static async open(url: string, token: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const abort = new AbortController();
    const accept = { accept: "text/event-stream", ...(token !== "" && { authorization: `Bearer ${token}` }) };
    const response = await fetch(url, { headers: { ...accept, ...headers }, signal: abort.signal });
    return new EventStream(response, abort);
  }

  /** The next message; undefined at the end of the stream. */
  async next(): Promise<StreamEvent | undefined> {
    const { value, done } = await this.#messages.next().catch(() => ({ value: undefined, done: true }));
    if (done || value === undefined) return undefined;
    const { event = "", id = "", data } = value;
    return { event, id, data: JSON.parse(data) };
  }

  /** Reads on until a message fulfils the wish; answers all that came, that one last. */
  async until(wish: (event: StreamEvent) => boolean): Promise<StreamEvent[]> {
    const seen: StreamEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the stream ended after ${JSON.stringify(seen)}`);
      seen.push(event);
      if (wish(event)) return seen;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}
