import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestOpening, TestTasks } from "../testing/task-program.ts";
import { QueueFull } from "./fair-queue.ts";
import { Stopped } from "./messages.ts";
import { Pool } from "./pool.ts";
import { WorkFailed } from "./work.ts";

describe("a pool of threads", () => {
  let pool: Pool<TestTasks>;
  const open = (taskMsMax = 60_000, workerData: TestOpening | null = null) =>
    new Pool<TestTasks>({
      program: new URL("../testing/task-program.js", import.meta.url),
      workerData,
      threadsMax: 1,
      limits: { maxOldGenerationSizeMb: 32 },
      queue: { perCaller: 2, all: 3 },
      taskMsMax,
      idleMsMax: 60_000,
      seen: () => ({ seq: 0, now: 0, capabilities: { images: false, isolation: ["whole"], workdir: false } }),
      ask: () => Promise.reject(new Error("nothing to ask")),
    });
  beforeEach(() => {
    pool = open();
  });
  afterEach(() => pool.close());

  it("does tasks one after the other on one thread, and takes no more than fit", async () => {
    const first = pool.run("echo", "1", "ann");
    const others = [pool.run("echo", "2", "ann"), pool.run("echo", "3", "ann")];
    await assert.rejects(pool.run("echo", "4", "ann"), QueueFull);
    assert.deepEqual([await first, ...(await Promise.all(others)), pool.threads], ["1", "2", "3", 1]);
  });

  it("stops a task whose caller is gone, and goes on with the same thread", async () => {
    const left = new AbortController();
    const gone = pool.run("until", null, "ann", left.signal);
    setTimeout(() => left.abort(), 50);
    await assert.rejects(gone, Stopped);
    assert.equal(await pool.run("echo", "still here", "bob"), "still here");
  });

  it("never begins a task whose caller left while it waited", async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const running = pool.run("until", null, "ann", first.signal);
    const waiting = pool.run("deaf", null, "bob", second.signal);
    second.abort();
    await assert.rejects(waiting, Stopped);
    first.abort();
    await assert.rejects(running, Stopped);
  });

  it("goes on opening a thread whose first caller leaves or waits too long", async () => {
    await pool.close();
    const shared = () => new Int32Array(new SharedArrayBuffer(4));
    const opening = { started: shared(), gate: shared() };
    pool = open(1_000, opening);
    const left = new AbortController();
    const gone = pool.run("echo", "1", "ann", left.signal);
    left.abort();
    await assert.rejects(gone, /the caller is gone/);
    const next = pool.run("echo", "2", "bob");
    Atomics.store(opening.gate, 0, 1);
    Atomics.notify(opening.gate, 0);
    assert.equal(await next, "2");
    assert.equal(Atomics.load(opening.started, 0), 1, "what was opened for the first serves the second");
  });

  it("ends the thread of a task that does not stop", async () => {
    await pool.close();
    pool = open(2_000); // the next thread must open within it, on a busy machine too
    await assert.rejects(pool.run("deaf", null, "ann"), /it took too long/);
    assert.equal(await pool.run("echo", "another thread", "ann"), "another thread");
  });

  it("fails one task alone when its thread breaks or runs out of memory", async () => {
    for (const task of ["crash", "eat"] as const) {
      const broken = pool.run(task, null, "ann");
      const next = pool.run("echo", "fine", "bob");
      await assert.rejects(broken, WorkFailed);
      assert.equal(await next, "fine");
    }
  });
});
