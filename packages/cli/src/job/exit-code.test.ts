import assert from "node:assert/strict";
import test from "node:test";
import { exitCodeOf } from "./exit-code.ts";

test("a job that ended by itself gives its own code", () => {
  assert.equal(exitCodeOf({ outcome: "succeeded", exitCode: 0 }), 0);
  assert.equal(exitCodeOf({ outcome: "failed", exitCode: 7 }), 7);
  assert.equal(exitCodeOf({ outcome: "failed", exitCode: 137 }), 137);
});

test("a failure never looks like a success", () => {
  assert.equal(exitCodeOf({ outcome: "failed" }), 1);
  assert.equal(exitCodeOf({ outcome: "failed", exitCode: 0 }), 1);
  assert.equal(exitCodeOf({ outcome: "failed", exitCode: 256 }), 1);
  assert.equal(exitCodeOf({}), 1);
});

test("what the platform ended has a code of its own, whatever the job said", () => {
  const codes = Object.entries({
    cancelled: 103,
    preempted: 104,
    "timed-out": 105,
    "deadline-passed": 105,
    "infra-failed": 100,
    "dependency-failed": 1,
  });
  for (const [outcome, code] of codes)
    assert.equal(exitCodeOf({ outcome, ...(code > 1 && { exitCode: 143 }) }), code, outcome);
});
