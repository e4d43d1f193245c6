import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountRule, Ask, Row } from "./inputs.ts";
import { replay } from "./replay.ts";

const machines = new Map(
  ["n0", "n1"].map((name) => [name, { cpuMilli: 10_000, memoryMiB: 1000, devices: 2, model: "T4" }]),
);
const ask: Ask = { devices: 1, milli: 1000, cpuMilli: 1000, memoryMiB: 1, models: [], account: "a" };

/** The rules that a log breaks; a row is `task node devices milli start end`. */
function broken(
  asks: Record<string, Partial<Ask>>,
  log: readonly string[],
  accounts: Record<string, AccountRule> = {},
): string[] {
  const rows = log.map((text, at): Row => {
    const [task, node, devices, milli, start, end] = text.split(" ");
    return {
      line: at + 2,
      task: task!,
      node: node === "-" ? "" : node!,
      devices: devices === "-" ? [] : devices!.split(";").map(Number),
      milli: Number(milli),
      start: Number(start),
      end: Number(end),
    };
  });
  const full = new Map(Object.entries(asks).map(([name, part]) => [name, { ...ask, ...part }]));
  return replay({ machines, asks: full, rows, accounts: new Map(Object.entries(accounts)) }).map(
    ({ rule, line }) => `${rule} ${line}`,
  );
}

describe("the check of a decision log", () => {
  it("finds nothing in a log that keeps the rules, and lets a task begin where another ends", () => {
    const timed = { submittedAt: 0, runs: 5 };
    assert.deepEqual(
      broken({ a: timed, b: timed, c: { ...timed, devices: 4 } }, [
        "a n0 0 1000 0 5",
        "b n0 1 1000 0 5",
        "c n0 0;1 1000 5 10",
        "c n1 0;1 1000 5 10",
      ]),
      [],
    );
  });

  it("finds more on a device, of CPU or of memory than there is", () => {
    const share = { milli: 600 };
    assert.deepEqual(broken({ a: share, b: share }, ["a n0 0 600 0 9", "b n0 0 600 1 9"]), ["capacity 3"]);
    assert.deepEqual(broken({ a: { cpuMilli: 10_001 } }, ["a n0 0 1000 0 9"]), ["capacity 2"]);
    assert.deepEqual(broken({ a: { memoryMiB: 1001 } }, ["a n0 0 1000 0 9"]), ["capacity 2"]);
  });

  it("finds a gang that is not whole, not together or spread without need", () => {
    const gang = { devices: 2 };
    assert.deepEqual(broken({ g: gang }, ["g n0 0 1000 0 9"]), ["gang 2"]);
    assert.deepEqual(broken({ g: gang }, ["g n0 0 1000 0 9", "g n1 0 1000 0 9"]), ["gang 2"]);
    assert.deepEqual(broken({ g: { devices: 4 } }, ["g n0 0;1 1000 0 9", "g n1 0;1 1000 0 8"]), ["gang 2"]);
  });

  it("finds a slice of another size, a device named twice and a model that was not asked for", () => {
    assert.deepEqual(broken({ a: { milli: 300 } }, ["a n0 0 200 0 9"]), ["slice 2"]);
    assert.deepEqual(broken({ a: { devices: 2 } }, ["a n0 1;1 1000 0 9"]), ["slice 2", "capacity 2"]);
    assert.deepEqual(broken({ a: { models: ["A10"] } }, ["a n0 0 1000 0 9"]), ["model 2"]);
  });

  it("finds what starts too early, overlaps itself or runs too short", () => {
    const timed = { submittedAt: 3, runs: 4 };
    assert.deepEqual(broken({ a: timed }, ["a n0 0 1000 2 9"]), ["time 2"]);
    assert.deepEqual(broken({ a: timed }, ["a n0 0 1000 3 6", "a n1 0 1000 5 9"]), ["time 3"]);
    assert.deepEqual(broken({ a: timed }, ["a n0 0 1000 3 6"]), ["time 2"]);
  });

  it("finds names that are not in the trace, and takes a task drawn again for its first", () => {
    assert.deepEqual(broken({ a: {} }, ["b n0 0 1000 0 9", "a n7 0 1000 0 9", "a#2 n0 5 1000 0 9"]), [
      "unknown 2",
      "unknown 3",
      "unknown 4",
    ]);
    assert.deepEqual(broken({ a: {} }, ["a n0 0 1000 0 9", "a#2 n0 1 1000 1 9"]), []);
    assert.deepEqual(broken({ a: {} }, ["a n0 0 1000 0 9", "a n0 1 1000 1 9"]), ["time 3", "time 3"]);
  });

  it("finds a task that was dropped although a node had room", () => {
    const whole = { devices: 2 };
    assert.deepEqual(broken({ a: whole, b: whole, c: whole }, ["a n0 0;1 1000 0 9", "b - - 0 1 1"]), ["drop 3"]);
    assert.deepEqual(
      broken({ a: whole, b: whole, c: whole }, ["a n0 0;1 1000 0 9", "b n1 0;1 1000 1 9", "c - - 0 2 2"]),
      [],
    );
  });

  it("finds an account beyond its max at any level", () => {
    const asks = { a: { account: "lab/x" }, b: { account: "lab/y" } };
    const log = ["a n0 0 1000 0 9", "b n1 0 1000 1 9"];
    assert.deepEqual(broken(asks, log, { lab: { max: { "*": 1 } } }), ["quota 3"]);
    assert.deepEqual(broken(asks, log, { lab: { max: { "*": 2 } }, "lab/x": { max: { "*": 1 } } }), []);
    assert.deepEqual(broken(asks, log, { lab: { max: { T4: 1 } } }), ["quota 3"]);
    assert.deepEqual(broken(asks, log, { lab: { max: { H100: 1 } } }), []);
  });

  it("finds strangers on one GPU, and anyone on the node of a confidential tenant", () => {
    const asks = { a: { account: "a/x", milli: 500 }, b: { account: "b/x", milli: 500 } };
    const log = ["a n0 0 500 0 9", "b n0 0 500 1 9"];
    const grouped = { trust_group: "ours" };
    assert.deepEqual(broken(asks, log), ["trust 3"]);
    assert.deepEqual(broken(asks, log, { a: grouped, b: grouped }), []);
    assert.deepEqual(broken(asks, log, { a: grouped, b: { ...grouped, trust: "untrusted" } }), ["trust 3"]);
    assert.deepEqual(broken(asks, ["a n0 0 500 0 9", "b n0 1 500 1 9"], { a: { trust: "confidential" } }), ["trust 3"]);
  });
});
