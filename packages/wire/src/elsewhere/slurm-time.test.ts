import assert from "node:assert/strict";
import { it } from "node:test";
import { durationOfSlurm } from "./slurm-time.ts";

it("Slurm's times are understood where they mean one thing", () => {
  assert.equal(durationOfSlurm("90:00"), "1h30m");
  assert.equal(durationOfSlurm("1-12"), "36h");
  assert.equal(durationOfSlurm("2-00:30"), "48h30m");
  assert.equal(durationOfSlurm("00:00:45"), "45s");
  assert.equal(durationOfSlurm("90"), undefined);
  assert.equal(durationOfSlurm("1:2:3:4"), undefined);
});
