import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FairQueue, QueueFull } from "./fair-queue.ts";

describe("the queue of work", () => {
  it("gives callers turns, one thing each at a time", () => {
    const queue = new FairQueue<string>({ perCaller: 10, all: 20 });
    for (const item of ["a1", "a2", "a3"]) queue.add("ann", item);
    queue.add("bob", "b1");
    const taken = () => queue.take()?.item;
    assert.deepEqual([taken(), taken(), taken()], ["a1", "b1", undefined]);
    queue.done("ann");
    assert.equal(taken(), "a2");
    queue.done("bob");
    queue.add("bob", "b2");
    assert.deepEqual([taken(), taken()], ["b2", undefined]);
  });

  it("is bounded for one caller and for all", () => {
    const queue = new FairQueue<number>({ perCaller: 2, all: 3 });
    queue.add("ann", 1);
    queue.add("ann", 2);
    assert.throws(
      () => queue.add("ann", 3),
      (error: QueueFull) => error.ofCaller,
    );
    queue.add("bob", 4);
    assert.throws(
      () => queue.add("eve", 5),
      (error: QueueFull) => error instanceof QueueFull && !error.ofCaller,
    );
  });

  it("lets go of what is not wanted any more", () => {
    const queue = new FairQueue<string>({ perCaller: 2, all: 3 });
    queue.add("ann", "a");
    assert.deepEqual([queue.drop("ann", "a"), queue.drop("ann", "a"), queue.size], [true, false, 0]);
    assert.equal(queue.take(), undefined);
  });
});
