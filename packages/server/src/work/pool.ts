import { type ResourceLimits, Worker } from "node:worker_threads";
import { type ControlPlane, Outage } from "../flow/control.ts";
import { FairQueue, type QueueLimits } from "./fair-queue.ts";
import { type FromWorker, type Seen, Stopped, type ToWorker } from "./messages.ts";
import { type TaskTable, type Work, WorkFailed } from "./work.ts";

export interface PoolOptions {
  /** The program that each thread runs, and what it is started with. */
  readonly program: URL;
  readonly workerData: unknown;
  readonly threadsMax: number;
  readonly limits: ResourceLimits;
  readonly queue: QueueLimits;
  /** A task that runs longer is stopped. */
  readonly taskMsMax: number;
  /** A thread without work for so long is ended. */
  readonly idleMsMax: number;
  /** What the asking thread has seen of the journal, its time, and what engines can do. */
  readonly seen: () => Seen;
  /** A task asks for a change: it is made here. */
  readonly ask: ControlPlane["ask"];
}

interface Job {
  readonly task: string;
  readonly input: unknown;
  readonly caller: string;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly stop: Int32Array<SharedArrayBuffer>;
  /** Why it was stopped. */
  stopped?: string;
}

interface Thread {
  readonly worker: Worker;
  /** It has what its tasks need. */
  isOpen: boolean;
  running: (Job & { readonly id: number }) | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** A task looks whether it is to stop wherever it reads; one that has not stopped after this long is ended with its thread. */
const stopMsMax = 2_000;

/** A few threads, started when they are needed, that do one task at a time each. */
export class Pool<Tasks extends TaskTable> implements Work<Tasks> {
  readonly #options: PoolOptions;
  readonly #queue: FairQueue<Job>;
  readonly #threads = new Set<Thread>();
  #nextId = 1;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.queue);
  }

  get threads(): number {
    return this.#threads.size;
  }

  run<Task extends keyof Tasks & string>(
    task: Task,
    input: Tasks[Task]["input"],
    caller: string,
    signal?: AbortSignal,
  ): Promise<Tasks[Task]["output"]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Outage("the server is closing");
      if (signal?.aborted) throw new Stopped("the caller is gone");
      const stop = new Int32Array(new SharedArrayBuffer(4));
      const job: Job = { task, input, caller, resolve, reject, stop };
      this.#queue.add(caller, job);
      signal?.addEventListener("abort", () => this.#stop(job, "the caller is gone"), { once: true });
      this.#start();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const thread of [...this.#threads]) this.#end(thread, new Outage("the server is closing"));
  }

  /** Gives what waits to threads that are free. */
  #start(): void {
    while (this.#queue.size > 0) {
      const free = [...this.#threads].find(({ running }) => running === undefined);
      if (free === undefined && this.#threads.size >= this.#options.threadsMax) return;
      const next = this.#queue.take();
      if (next === undefined) return;
      this.#give(free ?? this.#open(), next.item);
    }
  }

  #open(): Thread {
    const { program, workerData, limits } = this.#options;
    const worker = new Worker(program, { workerData, resourceLimits: limits });
    const thread: Thread = { worker, isOpen: false, running: undefined, timer: undefined };
    this.#threads.add(thread);
    worker.on("message", (message: FromWorker) => this.#hear(thread, message));
    worker.on("error", (error) => this.#end(thread, new WorkFailed(`the worker broke: ${error.message}`)));
    worker.on("exit", () => this.#end(thread, new WorkFailed("the worker ended")));
    worker.unref();
    return thread;
  }

  #give(thread: Thread, job: Job): void {
    clearTimeout(thread.timer);
    const id = this.#nextId++;
    thread.running = { ...job, id };
    thread.timer = setTimeout(() => this.#stop(job, "it took too long"), this.#options.taskMsMax);
    thread.worker.ref();
    const { task, input, stop } = job;
    this.#post(thread, { kind: "run", id, task, input, stop, ...this.#options.seen() });
  }

  #post({ worker }: Thread, message: ToWorker): void {
    worker.postMessage(message);
  }

  #hear(thread: Thread, message: FromWorker): void {
    if (message.kind === "ask") return void this.#ask(thread, message);
    if (message.kind === "opened") return void this.#opened(thread);
    const { running } = thread;
    if (running?.id !== message.id) return;
    if (message.kind === "done") running.resolve(message.output);
    else if (message.kind === "stopped") running.reject(new Stopped(running.stopped ?? "it was stopped"));
    else running.reject(message.outage ? new Outage(message.message) : new WorkFailed(message.message));
    this.#free(thread);
  }

  async #ask(thread: Thread, message: Extract<FromWorker, { kind: "ask" }>): Promise<void> {
    const { no, command, by, privates } = message;
    try {
      const answer = await this.#options.ask(command, by, privates);
      this.#post(thread, { kind: "asked", no, answer, seq: this.#options.seen().seq });
    } catch (error) {
      this.#post(thread, { kind: "ask-failed", no, message: (error as Error).message });
    }
  }

  #free(thread: Thread): void {
    clearTimeout(thread.timer);
    this.#queue.done(thread.running!.caller);
    thread.running = undefined;
    thread.worker.unref();
    thread.timer = setTimeout(() => this.#end(thread, new Error()), this.#options.idleMsMax);
    thread.timer.unref();
    this.#start();
  }

  /** Stops a task, wherever it is. */
  #stop(job: Job, why: string): void {
    if (this.#queue.drop(job.caller, job)) job.reject(new Stopped(why));
    const thread = [...this.#threads].find(({ running }) => running?.stop === job.stop);
    if (thread?.running === undefined) return;
    thread.running.stopped ??= why;
    Atomics.store(job.stop, 0, 1);
    clearTimeout(thread.timer);
    if (thread.isOpen) this.#endUnlessStopped(thread);
    // What is opened serves every task after this one: ended for one caller that left, it would never be done.
    else job.reject(new Stopped(why));
  }

  #opened(thread: Thread): void {
    thread.isOpen = true;
    if (thread.running?.stopped !== undefined) this.#endUnlessStopped(thread);
  }

  #endUnlessStopped(thread: Thread): void {
    const { id, stopped } = thread.running!;
    thread.timer = setTimeout(() => {
      if (thread.running?.id === id) this.#end(thread, new Stopped(stopped));
    }, stopMsMax);
  }

  #end(thread: Thread, error: Error): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    if (thread.running !== undefined) {
      this.#queue.done(thread.running.caller);
      thread.running.reject(error);
    }
    this.#start();
  }
}
