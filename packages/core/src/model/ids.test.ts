import assert from "node:assert/strict";
import { it } from "node:test";
import { type JobId, leaseIdOf, parseLeaseId } from "./ids.ts";

it("a lease id names its job, attempt and rank, and is read back", () => {
  for (const job of ["job_abc9", "job_abc9.17"] as JobId[]) {
    for (const [attempt, rank] of [
      [1, 0],
      [1, 63],
      [1, 64],
      [12, 3],
    ] as const) {
      const id = leaseIdOf(job, attempt, rank);
      assert.equal(id, `${job}-${attempt}-${rank}`);
      assert.deepEqual(parseLeaseId(id), { job, attempt, rank });
    }
  }
});

it("text that is no lease id is not read", () => {
  for (const text of ["", "job_a", "job_a-1", "job_A-1-0", "acc_a-1-0", "job_a-1-0-0", "job_a.x-1-0"])
    assert.equal(parseLeaseId(text), undefined, text);
});
