import { Worker } from "node:worker_threads";
import {
  apply,
  type Command,
  canonicalJson,
  type Input,
  type LeaseId,
  passTime,
  type Refusal,
  readSnapshot,
  type State,
} from "@tessera/core";
import type {
  Capabilities,
  Entry,
  EntryAsk,
  FileContent,
  FileEntry,
  JobFolder,
  LogLine,
  LogQuery,
} from "@tessera/engine";
import { coverPrivates } from "../access/private-rows.ts";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { RatedTime } from "./bill/rated.ts";
import type { SteadyClock } from "./clock/steady-clock.ts";
import type { CommitListener } from "./commits.ts";
import { type Asker, type ControlPlane, type Done, Outage } from "./control.ts";
import type { EngineDoors } from "./engines/doors.ts";
import { Origins } from "./notice/origins.ts";
import { signAndPut } from "./notice/sign.ts";
import { eventsIn } from "./write/recover.ts";
import {
  type Answers,
  type FromWriter,
  type ToWriter,
  type WriterConfig,
  writerLimits,
} from "./write/writer-messages.ts";

interface Waiting {
  readonly resolve: (answer: Done | Refusal) => void;
  readonly reject: (error: Error) => void;
}

interface Started {
  readonly seq: number;
  readonly snapshotSeq: number;
  readonly eventsReplayed: number;
}

/**
 * While one message is being written a second may lie ready, so that the writer never waits for us. More would only
 * wake it more often: what comes meanwhile makes one larger message.
 */
const messagesAtOnce = 2;

/** The API's side of the writer thread: sends requests over in batches and follows what was committed. */
export class ThreadedControlPlane implements ControlPlane {
  readonly state: State;
  readonly started: Started;
  #seq: number;
  #reader: StoreReader | undefined;
  readonly #engines: EngineDoors;
  readonly #clock: SteadyClock;
  readonly #worker: Worker;
  readonly #listeners = new Set<CommitListener>();
  readonly rated = new RatedTime(this);
  readonly origins = new Origins();
  readonly #waiting = new Map<number, Waiting>();
  readonly #outbox: { input: Input; privates: readonly PrivateWrite[]; waiting: Waiting }[] = [];
  #sending = false;
  #nextNumber = 0;
  /** The last request of each message that has not been answered wholly. */
  readonly #unanswered: number[] = [];
  #room = true;
  #stopped: string | undefined;
  #adopted = false;
  #onClosed: (() => void) | undefined;
  #onRoom: ((room: boolean) => void) | undefined;
  #onFailed: ((failure: WriterFailure) => void) | undefined;

  private constructor(
    worker: Worker,
    ready: Extract<FromWriter, { kind: "ready" }>,
    engines: EngineDoors,
    clock: SteadyClock,
  ) {
    this.#clock = clock;
    this.#worker = worker;
    this.#engines = engines;
    this.state = readSnapshot(ready.snapshot);
    this.started = ready;
    this.#seq = ready.seq;
    worker.on("message", (message: FromWriter) => this.#hear(message));
    worker.on("error", (error) => this.#fail({ message: error.message, op: "", known: true }));
  }

  /** Starts the writer and waits until it has recovered. */
  static async start(
    given: Omit<WriterConfig, "clock">,
    reader: () => Promise<StoreReader>,
    engines: EngineDoors,
    clock: SteadyClock,
  ): Promise<ThreadedControlPlane> {
    const config: WriterConfig = { ...given, clock: clock.shared };
    const program = new URL("./write/writer-thread.js", import.meta.url);
    const worker = new Worker(program, { workerData: config, resourceLimits: writerLimits });
    const ready = await new Promise<Extract<FromWriter, { kind: "ready" }>>((resolve, reject) => {
      worker.once("message", (message: FromWriter) => {
        if (message.kind === "ready") resolve(message);
        else reject(new Error(message.kind === "failed" ? message.message : `the writer said ${message.kind}`));
      });
      worker.once("error", reject);
    });
    worker.removeAllListeners("message");
    worker.removeAllListeners("error");
    // It listens before anything is waited for: the writer may have to say that it lost the store.
    const control = new ThreadedControlPlane(worker, ready, engines, clock);
    control.#reader = await reader();
    return control;
  }

  get reader(): StoreReader {
    return this.#reader!;
  }

  /** The last row of the journal that the state holds. */
  get seq(): number {
    return this.#seq;
  }

  get capabilities(): Capabilities {
    return this.#engines.capabilities;
  }

  now(): number {
    return Math.max(this.#clock.now(), this.state.clock);
  }

  ask(command: Command, by: Asker, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    return signAndPut(this, command, by, privates, (input, rows) => this.put(input, rows));
  }

  /** Any input: resolves when it has been decided and, if it led to anything, is durable. */
  put(input: Input, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    if (this.#stopped !== undefined) return Promise.reject(new Outage(this.#stopped));
    return new Promise((resolve, reject) => {
      this.#outbox.push({ input: coverPrivates(input, privates), privates, waiting: { resolve, reject } });
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
    return this.#engines.logs(lease, query);
  }

  open(lease: LeaseId, ask: EntryAsk): Promise<Entry> {
    return this.#engines.open(lease, ask);
  }

  ports(lease: LeaseId): Promise<readonly number[]> {
    return this.#engines.ports(lease);
  }

  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry> {
    return this.#engines.files(lease, folder);
  }

  readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    return this.#engines.readFile(lease, folder, path, start);
  }

  readiness(): { ready: boolean; why: string } {
    if (this.#stopped !== undefined) return { ready: false, why: this.#stopped };
    if (!this.#adopted) return { ready: false, why: "adopting what the engines run" };
    if (!this.#room) return { ready: false, why: "the disk is nearly full" };
    const { connecting } = this.#engines;
    return { ready: true, why: connecting.length === 0 ? "" : `still connecting to ${connecting.join(", ")}` };
  }

  hasRoom(): boolean {
    return this.#room;
  }

  /** Everything the engines run has been taken over. */
  adopted(): void {
    this.#adopted = true;
  }

  /** Hears when the disk is nearly full, and when it has room again. */
  onRoom(listener: (room: boolean) => void): void {
    this.#onRoom = listener;
    listener(this.#room);
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
      this.#send(Number.POSITIVE_INFINITY);
      this.#post({ kind: "close" });
      await closed;
    }
    await this.#worker.terminate();
    await this.reader.close();
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #send(atOnce = messagesAtOnce): void {
    this.#sending = false;
    if (this.#outbox.length === 0 || this.#unanswered.length >= atOnce) return;
    const batch = this.#outbox.splice(0);
    const first = this.#nextNumber;
    this.#nextNumber += batch.length;
    this.#unanswered.push(this.#nextNumber - 1);
    for (const [i, each] of batch.entries()) this.#waiting.set(first + i, each.waiting);
    const privates = batch.flatMap((each, i) => (each.privates.length === 0 ? [] : [[i, each.privates] as const]));
    this.#post({ kind: "ask", first, inputs: batch.map((each) => canonicalJson(each.input)).join("\n"), privates });
  }

  #hear(message: FromWriter): void {
    switch (message.kind) {
      case "written":
        this.#takeIn(message);
        return;
      case "room":
        this.#room = message.room;
        this.#onRoom?.(message.room);
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

  /** The replica first, then the answers: a caller that has its answer can read what was written. */
  #takeIn(message: Extract<FromWriter, { kind: "written" }>): void {
    const events = eventsIn(message.events);
    for (const event of events) {
      for (const listener of this.#listeners) listener.before?.(event, this.state, message.seq);
      apply(this.state, event);
    }
    passTime(this.state, message.at);
    if (message.events !== "") this.#seq = message.seq; // else it may be of what found no room on the disk
    const answers = JSON.parse(message.answers) as Answers;
    for (const [i, number] of message.requests.entries()) {
      this.#waiting.get(number)?.resolve(answers[i]!);
      this.#waiting.delete(number);
    }
    const last = message.requests.at(-1) ?? -1;
    while (this.#unanswered.length > 0 && this.#unanswered[0]! <= last) this.#unanswered.shift();
    this.#send();
    if (events.length === 0) return;
    const batch = { seq: message.seq, at: message.at, events };
    for (const listener of this.#listeners) listener.after?.(batch, this.state);
  }

  #fail(failure: WriterFailure): void {
    if (this.#stopped !== undefined && this.#onClosed === undefined) return;
    this.#stopped = `the writer stopped: ${failure.message}`;
    const unsent = this.#outbox.splice(0).map((each) => each.waiting);
    for (const waiting of [...this.#waiting.values(), ...unsent]) waiting.reject(new Outage(this.#stopped));
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
