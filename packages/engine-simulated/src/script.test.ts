import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseScript } from "./script.ts";

const never = Number.POSITIVE_INFINITY;

describe("what a simulated member does", () => {
  it("follows from its commands, one after the other", () => {
    assert.deepEqual(parseScript({ run: "echo 'one; two'; sleep 1.5\nsleep 500ms; echo three; exit 3; echo never" }), {
      runMs: 2_000,
      exitCode: 3,
      deafFromMs: never,
      doneFromMs: never,
      lines: [
        { afterMs: 0, stream: "stdout", text: "one; two" },
        { afterMs: 2_000, stream: "stdout", text: "three" },
      ],
    });
  });

  it("ends with the status of the last command", () => {
    assert.deepEqual(parseScript({ run: "true; false" }), {
      runMs: 0,
      exitCode: 1,
      deafFromMs: never,
      doneFromMs: never,
      lines: [],
    });
    assert.deepEqual(parseScript({ run: "" }), {
      runMs: 0,
      exitCode: 0,
      deafFromMs: never,
      doneFromMs: never,
      lines: [],
    });
  });

  it("can run for ever and stop listening to signals at some point", () => {
    assert.deepEqual(parseScript({ run: "sleep 2m; trap '' TERM; sleep infinity; exit 9" }), {
      runMs: never,
      exitCode: 0,
      deafFromMs: 120_000,
      doneFromMs: never,
      lines: [],
    });
  });

  it("has written its done file from some point on", () => {
    const script = parseScript({ run: 'sleep 1; touch "$TESS_DONE"; sleep 1; touch $TESS_DONE' });
    assert.ok(typeof script !== "string");
    assert.deepEqual([script.doneFromMs, script.runMs], [1_000, 2_000]);
  });

  it("begins with the setup, and goes no further when that fails", () => {
    assert.deepEqual(parseScript({ setup: "echo a; sleep 1", run: "echo b" }), {
      runMs: 1_000,
      exitCode: 0,
      deafFromMs: never,
      doneFromMs: never,
      lines: [
        { afterMs: 0, stream: "setup", text: "a" },
        { afterMs: 1_000, stream: "stdout", text: "b" },
      ],
    });
    assert.deepEqual(parseScript({ setup: "sleep 1; false", run: "echo b" }), {
      runMs: 1_000,
      exitCode: 1,
      deafFromMs: never,
      doneFromMs: never,
      lines: [],
    });
  });

  for (const run of [
    "python train.py",
    "sleep",
    "sleep soon",
    "exit 300",
    "exit x",
    "trap 'save' TERM",
    "touch model.bin",
  ]) {
    it(`is refused with the reason when the command is ${run}`, () => {
      const reason = parseScript({ run });
      assert.ok(typeof reason === "string" && reason.includes(run.replaceAll("'", "")), String(reason));
    });
  }
});
