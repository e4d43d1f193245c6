import type { Problem } from "@tessera/wire";
import { problemOf } from "./problem.ts";

interface Ears {
  readonly heard: (event: string, data: string) => void;
  /** Something came, were it only a sign of life. */
  readonly beat: () => void;
  /** It is over; called once, and not after `close`. With the problem, where the server answered with one and no stream. */
  readonly lost: (problem?: Problem) => void;
}

/** An event stream of the API. Unlike the browser's own EventSource it can show the proof of the session. */
export class EventStream {
  readonly #gone = new AbortController();

  constructor(address: string, proof: Readonly<Record<string, string>>, ears: Ears) {
    this.#read(address, proof, ears)
      .catch(() => undefined)
      .then((problem) => this.#gone.signal.aborted || ears.lost(problem));
  }

  close(): void {
    this.#gone.abort();
  }

  async #read(
    address: string,
    proof: Readonly<Record<string, string>>,
    { heard, beat }: Ears,
  ): Promise<Problem | undefined> {
    const headers = { ...proof, accept: "text/event-stream" };
    const response = await fetch(address, { headers, signal: this.#gone.signal });
    // Read here: once the stream is closed, nothing of the answer can be read.
    if (!response.ok) return problemOf(response);
    if (response.body === null) return undefined;
    const messages = new Messages(heard);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      beat();
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
