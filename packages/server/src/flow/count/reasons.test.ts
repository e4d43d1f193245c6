import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it, mock } from "node:test";
import { type Job, type JobId, plainTerms, unitsPerGpu } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { Reasons } from "./reasons.ts";

describe("why jobs wait, for counts and filters", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let ada: Awaited<ReturnType<Tenancy["user"]>>;
  /** The machine's time: a moment passes whenever it is read. */
  let at: number;
  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    await tenancy.account("mill");
    ada = await tenancy.user("ada", "member", "lab");
    await tenancy.job("mill", ada.id, { gpus: 8 });
  });
  beforeEach(() => {
    at = 0;
    mock.method(performance, "now", () => ++at);
  });
  afterEach(() => mock.restoreAll());

  const jobOf = (id: JobId): Job => control.state.jobById.get(id)!;
  const limit = (gpus: number) => {
    const quota = { ...plainTerms.quota, max: { "*": gpus * unitsPerGpu } };
    return control.must({ kind: "account.edit", path: "lab", terms: { ...plainTerms, quota } });
  };

  it("are found again after a while, although nothing but a filter asks for them", async () => {
    const reasons = new Reasons(control);
    const job = jobOf(await tenancy.job("lab", ada.id, { gpus: 4 }));
    await limit(2);
    assert.equal(reasons.kindOf(job), "quota");
    await limit(8);
    assert.equal(reasons.kindOf(job), "quota", "it was found a moment ago");
    at += 60_000;
    assert.equal(reasons.kindOf(job), "capacity");
  });

  it("are told as they are known while a count finds them again", async () => {
    const reasons = new Reasons(control);
    const job = jobOf(await tenancy.job("lab", ada.id, { gpus: 4 }));
    await limit(2);
    assert.equal(reasons.known(job), undefined);
    await reasons.settle(60_000);
    assert.equal(reasons.known(job), "quota");
    await limit(8);
    at += 60_000;
    assert.equal(reasons.known(job), "quota");
    await reasons.settle(60_000);
    assert.equal(reasons.known(job), "capacity");
  });

  it("are forgotten when nobody has asked for them during some minutes", async () => {
    const reasons = new Reasons(control);
    const jobs: Job[] = [];
    for (let priority = 1; priority <= 20; priority++)
      jobs.push(jobOf(await tenancy.job("lab", ada.id, { gpus: 4, priority })));
    for (const job of jobs) reasons.kindOf(job);
    assert.equal(reasons.size, jobs.length);
    at += 15 * 60_000;
    reasons.kindOf(jobs[7]!);
    assert.equal(reasons.size, 1);
  });
});
