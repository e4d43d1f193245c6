import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobId } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { diceOf } from "../testing/dice.ts";
import { JobsById } from "./jobs-by-id.ts";

describe("jobs by id", () => {
  it("match a map after random additions and deletions", () => {
    const jobs = new JobsById();
    const map = new Map<string, Job>();
    const roll = diceOf(11);
    for (let step = 0; step < 20_000; step++) {
      const id = `job_${roll(700).toString(36).padStart(4, "0")}` as JobId;
      const known = map.get(id);
      assert.equal(jobs.get(id), known);
      assert.equal(jobs.has(id), known !== undefined);
      if (known !== undefined) {
        jobs.delete(id);
        map.delete(id);
      } else if (step % 4 !== 0) {
        const job = { id } as Job;
        jobs.add(job);
        map.set(id, job);
      }
    }
    for (let i = 0; i < 700; i++) {
      const id = `job_${i.toString(36).padStart(4, "0")}` as JobId;
      assert.equal(jobs.get(id), map.get(id));
    }
    jobs.delete("job_none" as JobId);
    assert.equal(jobs.has("job_none" as JobId), false);
  });
});
