import { workerData } from "node:worker_threads";
import { type Doers, TaskThread } from "../work/thread.ts";

/** What a thread is started with: how many threads there were, and a gate that is open when it is not 0. */
export interface TestOpening {
  readonly started: Int32Array<SharedArrayBuffer>;
  readonly gate: Int32Array<SharedArrayBuffer>;
}

/** Tasks for tests of the pool. */
export type TestTasks = {
  readonly echo: { readonly input: string; readonly output: string };
  readonly until: { readonly input: null; readonly output: null };
  readonly deaf: { readonly input: null; readonly output: null };
  readonly crash: { readonly input: null; readonly output: null };
  readonly eat: { readonly input: null; readonly output: number };
};

async function open(opening: TestOpening | null): Promise<void> {
  if (opening === null) return;
  Atomics.add(opening.started, 0, 1);
  await Atomics.waitAsync(opening.gate, 0, 0).value;
}

const opening = open(workerData as TestOpening | null);
const tasks: Doers<TestTasks> = {
  echo: async (text) => {
    await opening;
    return text;
  },
  until: (_, { check }) => {
    for (;;) check();
  },
  deaf: () => {
    for (;;);
  },
  crash: () => {
    setImmediate(() => {
      throw new Error("a bug");
    });
    return new Promise(() => {});
  },
  eat: () => {
    const all: number[][] = [];
    for (;;) all.push(new Array(100_000).fill(1));
  },
};
new TaskThread().serve<TestTasks>(tasks, opening);
