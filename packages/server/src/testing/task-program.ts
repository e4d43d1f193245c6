import { TaskThread } from "../work/thread.ts";

/** Tasks for tests of the pool. */
export type TestTasks = {
  readonly echo: { readonly input: string; readonly output: string };
  readonly until: { readonly input: null; readonly output: null };
  readonly deaf: { readonly input: null; readonly output: null };
  readonly crash: { readonly input: null; readonly output: null };
  readonly eat: { readonly input: null; readonly output: number };
};

new TaskThread().serve<TestTasks>({
  echo: (text) => text,
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
});
