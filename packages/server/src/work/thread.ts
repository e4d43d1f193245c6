import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { Outage } from "../flow/control.ts";
import { type FromWorker, type Seen, Stopped, type ToWorker } from "./messages.ts";
import type { TaskTable } from "./work.ts";

/** Where cores are few, the threads that answer and commit come first. On Linux this is of the calling thread alone. */
export function yieldToOthers(): void {
  if (process.platform === "linux") setPriority(niceness);
}

const niceness = 10;

/** What a task sees beside its input. */
export interface TaskContext extends Seen {
  /** Throws Stopped when the task is to stop. */
  readonly check: () => void;
}

/** What a worker can do. */
export type Doers<Tasks extends TaskTable> = {
  readonly [Task in keyof Tasks]: (
    input: Tasks[Task]["input"],
    context: TaskContext,
  ) => Promise<Tasks[Task]["output"]> | Tasks[Task]["output"];
};

type Asking = Extract<FromWorker, { kind: "ask" }>;
type Answer = Pick<Extract<ToWorker, { kind: "asked" }>, "answer" | "seq">;

/** A worker's side of the pool: does one task after the other, and asks for changes on the thread that may make them. */
export class TaskThread {
  readonly #port = parentPort!;
  readonly #asked = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #nextNo = 1;

  /** Begins to take tasks; they wait for what is opened for them. A thread that cannot open it ends, and the next tries. */
  serve<Tasks extends TaskTable>(doers: Doers<Tasks>, opening: Promise<unknown> = Promise.resolve()): void {
    opening.then(
      () => this.#say({ kind: "opened" }),
      (error) =>
        setImmediate(() => {
          throw error;
        }),
    );
    this.#port.on("message", (message: ToWorker) => {
      if (message.kind === "run") void this.#run(doers, message);
      else this.#hear(message);
    });
  }

  ask(command: Asking["command"], by: Asking["by"], privates: Asking["privates"] = []): Promise<Answer> {
    const no = this.#nextNo++;
    return new Promise((resolve, reject) => {
      this.#asked.set(no, { resolve, reject });
      this.#say({ kind: "ask", no, command, by, privates });
    });
  }

  async #run<Tasks extends TaskTable>(
    doers: Doers<Tasks>,
    { id, task, input, stop, ...seen }: Extract<ToWorker, { kind: "run" }>,
  ): Promise<void> {
    const check = () => {
      if (Atomics.load(stop, 0) !== 0) throw new Stopped();
    };
    try {
      const output = await doers[task]!(input as never, { ...seen, check });
      this.#say({ kind: "done", id, output });
    } catch (error) {
      if (error instanceof Stopped) return this.#say({ kind: "stopped", id });
      const { message, stack } = error as Error;
      this.#say({ kind: "failed", id, message: stack ?? message, outage: error instanceof Outage });
    }
  }

  #hear(message: Exclude<ToWorker, { kind: "run" }>): void {
    const asked = this.#asked.get(message.no);
    this.#asked.delete(message.no);
    if (message.kind === "asked") asked?.resolve(message);
    else asked?.reject(new Outage(message.message));
  }

  #say(message: FromWorker): void {
    this.#port.postMessage(message);
  }
}
