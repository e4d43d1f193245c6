import { withProof } from "./proof.ts";

interface Ears {
  readonly opened: () => void;
  readonly heard: (event: string, data: string) => void;
  /** It is over, for whatever reason; called once, and not after `close`. */
  readonly lost: () => void;
}

/** An event stream of the API. Unlike the browser's own EventSource it can show the proof of the session. */
export class EventStream {
  readonly #gone = new AbortController();

  constructor(address: string, ears: Ears) {
    this.#read(address, ears)
      .catch(() => {})
      .then(() => this.#gone.signal.aborted || ears.lost());
  }

  close(): void {
    this.#gone.abort();
  }

  async #read(address: string, { opened, heard }: Ears): Promise<void> {
    const headers = withProof({ accept: "text/event-stream" });
    const response = await fetch(address, { headers, signal: this.#gone.signal });
    if (!response.ok || response.body === null) return;
    opened();
    const messages = new Messages(heard);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      messages.take(value);
    }
  }
}

/** Makes messages of the text of a stream, however it is cut. */
export class Messages {
  readonly #heard: (event: string, data: string) => void;
  #rest = "";
  #event = "";
  #data: string[] = [];

  constructor(heard: (event: string, data: string) => void) {
    this.#heard = heard;
  }

  take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === "") {
      if (this.#data.length > 0) this.#heard(this.#event || "message", this.#data.join("\n"));
      this.#event = "";
      this.#data = [];
    } else if (line.startsWith("event: ")) this.#event = line.slice("event: ".length);
    else if (line.startsWith("data: ")) this.#data.push(line.slice("data: ".length));
  }
}
