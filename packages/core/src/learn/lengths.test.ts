import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job, JobSpec } from "../model/job.ts";
import { hour, minute } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { attainedMs, gangClass, lengthBinOf, lengthEnds } from "./lengths.ts";

function specOf(gpus: number, members: number): JobSpec {
  const spec = {
    gpus: [{ model: "*", count: gpus, unitsEach: 21_000 }],
    members: { min: members, max: members, apart: false },
  };
  return spec as Partial<JobSpec> as JobSpec;
}

describe("the run times of succeeded jobs", () => {
  it("[O3] are counted in bins that end at a minute and grow by the square root of two", () => {
    assert.equal(lengthBinOf(0), 0);
    assert.equal(lengthBinOf(minute), 1);
    assert.equal(lengthBinOf(2 * minute), 3);
    assert.equal(lengthBinOf(Number.MAX_SAFE_INTEGER), lengthEnds.length - 1);
    for (const [bin, end] of lengthEnds.slice(0, -1).entries()) assert.equal(lengthBinOf(end), bin + 1);
  });

  it("[O3] are counted by gangs of 1, 2 to 4, 5 to 8, and more GPUs", () => {
    const sizes = [specOf(1, 1), specOf(1, 2), specOf(4, 1), specOf(5, 1), specOf(2, 4), specOf(3, 3)];
    assert.deepEqual(sizes.map(gangClass), [0, 1, 1, 2, 2, 3]);
  });

  it("[O3] are kept only in accounts whose order may evict", () => {
    const w = new World().nodes(["n", "H100:2"]).account("plain", { order: "attained-service" });
    w.account("evicts", { order: "attained-service", quantumMs: hour });
    for (const account of ["plain", "evicts"]) {
      w.submit(account, account);
      w.run(account).tick(2 * minute);
      w.exit(account, 0);
    }
    const [counts] = w.state.lengths.get(w.state.accountByPath.get("evicts")!.no)!;
    assert.equal(counts![lengthBinOf(2 * minute)], 1);
    assert.equal(w.state.lengths.has(w.state.accountByPath.get("plain")!.no), false);
  });
});

it("[O3] the time a job has run counts over all attempts only if it checkpoints", () => {
  const attempts = [
    { startedAt: 100, endedAt: 600 },
    { startedAt: 0, endedAt: 900 },
  ];
  const job = { state: "running", startedAt: 1_000, attempts, ranBeforeMs: 50, spec: {} } as Partial<Job> as Job;
  assert.equal(attainedMs(job, 1_300), 300);
  const saving = { ...job, spec: { checkpoint: { signal: "TERM", graceMs: 1 } } } as Partial<Job> as Job;
  assert.equal(attainedMs(saving, 1_300), 300 + 500 + 50);
  assert.equal(attainedMs({ ...saving, state: "waiting" }, 1_300), 550);
});
