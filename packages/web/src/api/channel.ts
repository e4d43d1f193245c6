import type { Problem } from "@tessera/wire";
import { addresses, streamHeader } from "@tessera/wire/addresses";
import { EventStream } from "./event-stream.ts";
import { problemOf } from "./problem.ts";

/** What is told of one watched list, or of a log. */
export interface TopicEars {
  readonly heard: (event: string, data: string) => void;
  /** It cannot be watched by this user. */
  readonly refused: (problem: Problem) => void;
}

/** What is told of the connection as a whole. */
export type State = { readonly is: "live" } | { readonly is: "lost" } | { readonly is: "ended"; readonly why: string };

/** Where lists and logs can be watched: a connection of this window's own, or the one that all windows share. */
export interface Topics {
  /** Watches the list or log at an address until the returned function is called. */
  watch(address: string, ears: TopicEars): () => void;
  /** Whether anything is looked at: without, the connection is given back. */
  want(wanted: boolean): void;
}

/** The server says that it is there every five seconds; two of these may be late. */
const silentMs = 13_000;
const lookMs = 2_000;
const retryMs = { first: 500, most: 3_000 };

/** One event stream for any number of lists and logs. It opens itself again after it was lost, and joins them to it again. */
export class Channel implements Topics {
  readonly #proof: () => Record<string, string>;
  readonly #tell: (state: State) => void;
  readonly #topics = new Map<number, { readonly address: string; readonly ears: TopicEars }>();
  /** Joins that are not answered yet: what is left before would still be followed by the server. */
  readonly #joining = new Map<number, Promise<void>>();
  #next = 1;
  #source: EventStream | undefined;
  /** Its name, once the server has told it. */
  #name: string | undefined;
  #wanted = false;
  #heardAt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setInterval> | undefined;
  #retryMs = retryMs.first;

  constructor(proof: () => Record<string, string>, tell: (state: State) => void) {
    this.#proof = proof;
    this.#tell = tell;
  }

  watch(address: string, ears: TopicEars): () => void {
    const number = this.#next++;
    this.#topics.set(number, { address, ears });
    if (this.#name !== undefined) this.#begin(this.#name, number);
    return () => {
      if (!this.#topics.delete(number)) return;
      const name = this.#name;
      if (name !== undefined)
        void (this.#joining.get(number) ?? Promise.resolve()).then(() => this.#leave(name, number));
    };
  }

  async #leave(name: string, number: number): Promise<void> {
    if (this.#name !== name) return; // with its stream it has gone already
    const [method, path] = addresses.leaveTopic.split(" ") as [string, string];
    await fetch(path.replace(":topic", `${name}-${number}`), { method, headers: this.#proof() }).catch(() => {});
  }

  want(wanted: boolean): void {
    this.#wanted = wanted;
    if (wanted) this.#open();
    else this.#close();
  }

  /** Another session: the stream of the one before tells nothing more. */
  restart(): void {
    this.#close();
    if (this.#wanted) this.#open();
  }

  #open(): void {
    if (this.#source !== undefined) return;
    clearTimeout(this.#retry);
    this.#heardAt = Date.now();
    const [, address] = addresses.openStream.split(" ") as [string, string];
    const source = new EventStream(address, this.#proof(), {
      heard: (event, data) => this.#hear(event, data),
      beat: () => {
        this.#heardAt = Date.now();
      },
      lost: (problem) => this.#lost(source, problem),
    });
    this.#source = source;
    this.#watchdog = setInterval(() => {
      if (Date.now() - this.#heardAt < silentMs) return;
      source.close();
      this.#lost(source);
    }, lookMs);
  }

  #close(): void {
    clearTimeout(this.#retry);
    clearInterval(this.#watchdog);
    this.#source?.close();
    this.#source = undefined;
    this.#name = undefined;
  }

  #hear(event: string, data: string): void {
    if (event === "open") {
      this.#name = (JSON.parse(data) as { stream: string }).stream;
      this.#retryMs = retryMs.first;
      this.#tell({ is: "live" });
      for (const number of this.#topics.keys()) this.#begin(this.#name, number);
      return;
    }
    const [number, kind] = event.split(".") as [string, string];
    this.#topics.get(Number(number))?.ears.heard(kind, data);
  }

  #begin(name: string, number: number): void {
    const joining = this.#join(name, number).finally(() => this.#joining.delete(number));
    this.#joining.set(number, joining);
  }

  async #join(name: string, number: number): Promise<void> {
    const topic = this.#topics.get(number);
    if (topic === undefined) return;
    const headers = { ...this.#proof(), accept: "text/event-stream", [streamHeader]: `${name}-${number}` };
    const answer = await fetch(topic.address, { headers }).catch(() => undefined);
    // Without an answer the stream itself is lost too, and says so.
    if (answer === undefined || answer.ok || this.#name !== name) return;
    const problem = await problemOf(answer);
    if (answer.status === 401) this.#end(problem.detail);
    else if (answer.status === 429 || answer.status >= 500) setTimeout(() => this.#begin(name, number), retryMs.most);
    else topic.ears.refused(problem);
  }

  #lost(source: EventStream, problem?: Problem): void {
    if (this.#source !== source) return;
    this.#close();
    if (problem?.status === 401) {
      this.#end(problem.detail);
      return;
    }
    this.#tell({ is: "lost" });
    this.#retry = setTimeout(() => this.#wanted && this.#open(), this.#retryMs);
    this.#retryMs = Math.min(retryMs.most, this.#retryMs * 2);
  }

  #end(why: string): void {
    this.#close();
    this.#wanted = false;
    this.#tell({ is: "ended", why });
  }
}
