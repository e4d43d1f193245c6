import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Timer, Timers } from "./timers.ts";

describe("timers", () => {
  it("fire in order of time, then of kind and subject, however they were added", () => {
    const timers = new Timers();
    const all: Timer[] = [];
    for (let i = 0; i < 300; i++) {
      const kind = (["wake", "deadline", "price"] as const)[i % 3]!;
      all.push({ at: (i * 37) % 50, kind, subject: (i * 13) % 7 });
    }
    for (const timer of all) timers.add(timer);
    const order = ["deadline", "price", "wake"];
    const expected = all.toSorted(
      (a, b) => a.at - b.at || order.indexOf(a.kind) - order.indexOf(b.kind) || a.subject - b.subject,
    );
    assert.deepEqual(timers.takeDue(50), expected);
    assert.equal(timers.nextAt, undefined);
  });

  it("leave those that are not due yet", () => {
    const timers = new Timers();
    timers.add({ at: 5, kind: "wake", subject: 1 });
    timers.add({ at: 9, kind: "wake", subject: 2 });
    assert.deepEqual(timers.takeDue(8), [{ at: 5, kind: "wake", subject: 1 }]);
    assert.equal(timers.nextAt, 9);
  });

  it("are set once where they are asked for again, and may be set again after they fired", () => {
    const timers = new Timers();
    const timer = { at: 5, kind: "price", subject: 0 } as const;
    timers.addOnce(timer);
    timers.addOnce(timer);
    assert.equal(timers.takeDue(5).length, 1);
    timers.addOnce(timer);
    assert.equal(timers.takeDue(5).length, 1);
  });
});
