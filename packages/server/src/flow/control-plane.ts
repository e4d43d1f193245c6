import { randomBytes } from "node:crypto";
import { Worker } from "node:worker_threads";
import {
  apply,
  type Command,
  type Input,
  type LeaseId,
  type OperationId,
  type Refusal,
  readSnapshot,
  type State,
} from "@tessera/core";
import type { Capabilities, Engine, LogLine, LogQuery } from "@tessera/engine";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { type Asker, type CommitListener, type ControlPlane, type Done, Outage } from "./control.ts";
import { eventsOf } from "./recover.ts";
import type { Answers, FromWriter, ToWriter, WriterConfig } from "./writer-messages.ts";

interface Waiting {
  readonly resolve: (answer: Done | Refusal) => void;
  readonly reject: (error: Error) => void;
}

interface Started {
  readonly seq: number;
  readonly snapshotSeq: number;
  readonly eventsReplayed: number;
}

/** The API's side of the writer thread: sends requests over in batches and follows what was committed. */
export class ThreadedControlPlane implements ControlPlane {
  readonly state: State;
  readonly reader: StoreReader;
  readonly started: Started;
  readonly #engine: Engine;
  readonly #worker: Worker;
  readonly #listeners = new Set<CommitListener>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #outbox: { input: Input; privates: readonly PrivateWrite[]; waiting: Waiting }[] = [];
  #sending = false;
  #nextNumber = 0;
  #room = true;
  #stopped: string | undefined;
  #adopted = false;
  #onClosed: (() => void) | undefined;
  #onFailed: ((failure: WriterFailure) => void) | undefined;

  private constructor(
    worker: Worker,
    ready: Extract<FromWriter, { kind: "ready" }>,
    reader: StoreReader,
    engine: Engine,
  ) {
    this.#worker = worker;
    this.reader = reader;
    this.#engine = engine;
    this.state = readSnapshot(ready.snapshot);
    this.started = ready;
    worker.on("message", (message: FromWriter) => this.#hear(message));
    worker.on("error", (error) => this.#fail({ message: error.message, op: "", known: true }));
  }

  /** Starts the writer and waits until it has recovered. */
  static async start(
    config: WriterConfig,
    reader: () => Promise<StoreReader>,
    engine: Engine,
  ): Promise<ThreadedControlPlane> {
    const worker = new Worker(new URL("./writer-thread.js", import.meta.url), { workerData: config });
    const ready = await new Promise<Extract<FromWriter, { kind: "ready" }>>((resolve, reject) => {
      worker.once("message", (message: FromWriter) => {
        if (message.kind === "ready") resolve(message);
        else reject(new Error(message.kind === "failed" ? message.message : `the writer said ${message.kind}`));
      });
      worker.once("error", reject);
    });
    worker.removeAllListeners("message");
    worker.removeAllListeners("error");
    return new ThreadedControlPlane(worker, ready, await reader(), engine);
  }

  get capabilities(): Capabilities {
    return this.#engine.capabilities;
  }

  now(): number {
    return Math.max(Date.now(), this.state.clock);
  }

  ask(command: Command, by: Asker, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    const op = `op_${randomBytes(12).toString("hex")}` as OperationId;
    const { actor, request, idempotency } = by;
    return this.put({ kind: "command", v: 1, op, actor, request, command, idempotency }, privates);
  }

  /** Any input: resolves when it has been decided and, if it led to anything, is durable. */
  put(input: Input, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    if (this.#stopped !== undefined) return Promise.reject(new Outage(this.#stopped));
    return new Promise((resolve, reject) => {
      this.#outbox.push({ input, privates, waiting: { resolve, reject } });
      if (this.#sending) return;
      this.#sending = true;
      setImmediate(() => this.#send());
    });
  }

  notePrivate(writes: readonly PrivateWrite[]): void {
    if (this.#stopped === undefined) this.#post({ kind: "privates", writes });
  }

  follow(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine> {
    return this.#engine.logs(lease, query);
  }

  readiness(): { ready: boolean; why: string } {
    if (this.#stopped !== undefined) return { ready: false, why: this.#stopped };
    if (!this.#adopted) return { ready: false, why: "adopting what the engines run" };
    return this.#room ? { ready: true, why: "" } : { ready: false, why: "the disk is nearly full" };
  }

  hasRoom(): boolean {
    return this.#room;
  }

  /** Everything the engines run has been taken over. */
  adopted(): void {
    this.#adopted = true;
  }

  onFailed(listener: (failure: WriterFailure) => void): void {
    this.#onFailed = listener;
  }

  /** Lets the writer finish, write a snapshot and close the store. */
  async close(): Promise<void> {
    if (this.#stopped === undefined) {
      const closed = new Promise<void>((resolve) => {
        this.#onClosed = resolve;
      });
      this.#stopped = "the control plane is shutting down";
      this.#send();
      this.#post({ kind: "close" });
      await closed;
    }
    await this.#worker.terminate();
    await this.reader.close();
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #send(): void {
    this.#sending = false;
    if (this.#outbox.length === 0) return;
    const batch = this.#outbox.splice(0);
    const first = this.#nextNumber;
    this.#nextNumber += batch.length;
    for (const [i, each] of batch.entries()) this.#waiting.set(first + i, each.waiting);
    const privates = batch.flatMap((each, i) => (each.privates.length === 0 ? [] : [[i, each.privates] as const]));
    this.#post({ kind: "ask", first, inputs: JSON.stringify(batch.map((each) => each.input)), privates });
  }

  #hear(message: FromWriter): void {
    switch (message.kind) {
      case "written":
        this.#takeIn(message);
        return;
      case "room":
        this.#room = message.room;
        return;
      case "failed":
        this.#fail(message);
        return;
      case "closed":
        this.#onClosed?.();
        return;
      case "ready":
        throw new Error("the writer became ready twice");
    }
  }

  /** The replica first, then the answers: whoever is answered can read what was written. */
  #takeIn(message: Extract<FromWriter, { kind: "written" }>): void {
    const events = eventsOf(message.events);
    for (const event of events) {
      for (const listener of this.#listeners) listener.before?.(event, this.state, message.seq);
      apply(this.state, event);
    }
    if (message.at > this.state.clock) this.state.clock = message.at;
    const answers = JSON.parse(message.answers) as Answers;
    for (const [i, number] of message.requests.entries()) {
      this.#waiting.get(number)?.resolve(answers[i]!);
      this.#waiting.delete(number);
    }
    if (events.length === 0) return;
    const batch = { seq: message.seq, at: message.at, events };
    for (const listener of this.#listeners) listener.after?.(batch, this.state);
  }

  #fail(failure: WriterFailure): void {
    if (this.#stopped !== undefined && this.#onClosed === undefined) return;
    this.#stopped = `the writer stopped: ${failure.message}`;
    for (const waiting of this.#waiting.values()) waiting.reject(new Outage(this.#stopped));
    this.#waiting.clear();
    this.#onClosed?.();
    this.#onFailed?.(failure);
  }
}

/** Why the writer stopped, and whether the last commit surely did not take place. */
export interface WriterFailure {
  readonly message: string;
  readonly op: string;
  readonly known: boolean;
}
