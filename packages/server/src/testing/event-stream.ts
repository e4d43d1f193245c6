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
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #text = "";
  #ended = false;

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.#reader = response.body!.getReader();
  }

  static async open(url: string, token: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const abort = new AbortController();
    const accept = { accept: "text/event-stream", ...(token !== "" && { authorization: `Bearer ${token}` }) };
    const response = await fetch(url, { headers: { ...accept, ...headers }, signal: abort.signal });
    return new EventStream(response, abort);
  }

  /** The next message; undefined at the end of the stream. */
  async next(): Promise<StreamEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        if (block.startsWith(":")) continue;
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
        return { event: field("event"), id: field("id"), data: JSON.parse(field("data")) };
      }
      if (this.#ended) return undefined;
      const { value, done } = await this.#reader.read().catch(() => ({ value: undefined, done: true }));
      if (done) this.#ended = true;
      else this.#text += Buffer.from(value!).toString("utf8");
    }
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
