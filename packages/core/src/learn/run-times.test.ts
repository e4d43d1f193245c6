import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountNo, UserId } from "../model/ids.ts";
import { type JobSpec, plainName } from "../model/job.ts";
import { hour, minute } from "../model/units.ts";
import { quantileBeyond, RunTimes, thoughtMs } from "./run-times.ts";

const start = 1_000_000;

function job(name: string, user = "usr_ana") {
  return {
    account: 1 as AccountNo,
    user: user as UserId,
    spec: { name } as JobSpec,
    startedAt: start,
  };
}

describe("the run times of similar jobs", () => {
  it("[B1] predict the time within which four of five ended, once three have ended", () => {
    const times = new RunTimes();
    for (const minutes of [10, 50]) times.note(job("train"), start + minutes * minute);
    assert.equal(times.usualMs(job("train")), undefined);
    for (const minutes of [20, 30, 40]) times.note(job("train"), start + minutes * minute);
    assert.equal(times.usualMs(job("train")), 40 * minute);
  });

  it("[B1] are those of the same user, account and name, of the last 20 jobs", () => {
    const times = new RunTimes();
    for (let i = 0; i < 20; i++) times.note(job("train"), start + hour);
    assert.equal(times.usualMs(job("train", "usr_ben")), undefined);
    assert.equal(times.usualMs(job("test")), undefined);
    for (let i = 0; i < 20; i++) times.note(job("train"), start + minute);
    assert.equal(times.usualMs(job("train")), minute);
  });

  it("[B1] are not kept for jobs without a name", () => {
    const times = new RunTimes();
    for (let i = 0; i < 5; i++) times.note(job(plainName), start + hour);
    assert.equal(times.usualMs(job(plainName)), undefined);
  });

  it("[W4] of jobs that ended sooner than this one has run do not count", () => {
    const spans = [60, 120, 180, 240];
    assert.equal(quantileBeyond(spans, 0, 0.5), 2 * minute);
    assert.equal(quantileBeyond(spans, 2 * minute, 0.5), 3 * minute);
    assert.equal(quantileBeyond(spans, hour, 0.5), undefined);
  });

  it("[S26] are the same after a restart", () => {
    const times = new RunTimes();
    for (const minutes of [10, 20, 30]) times.note(job("train"), start + minutes * minute);
    const again = new RunTimes();
    again.restore(times.image());
    assert.equal(again.usualMs(job("train")), times.usualMs(job("train")));
  });
});

describe("the predicted run time of a job", () => {
  it("[B1] is what its user declares, else that of similar jobs, never beyond its limit", () => {
    assert.equal(thoughtMs({ expectedMs: hour, maxTimeMs: 2 * hour }, minute, 0), hour);
    assert.equal(thoughtMs({ expectedMs: 3 * hour, maxTimeMs: 2 * hour }, minute, 0), 2 * hour);
    assert.equal(thoughtMs({ maxTimeMs: 2 * hour }, minute, 0), 2 * hour);
    assert.equal(thoughtMs({}, minute, 0), minute);
    assert.equal(thoughtMs({}, undefined, 0), undefined);
  });

  it("[B1] grows by half, as often as necessary, once the job has run longer", () => {
    assert.equal(thoughtMs({ expectedMs: 4_000 }, undefined, 4_000), 6_000);
    assert.equal(thoughtMs({ expectedMs: 4_000 }, undefined, 6_000), 9_000);
    assert.equal(thoughtMs({ expectedMs: 4_000, maxTimeMs: 5_000 }, undefined, 4_500), 5_000);
  });
});
