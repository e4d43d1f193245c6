import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { seededRandom } from "@tessera/engine-simulated";
import { followDemand, teamsOf } from "./demand.ts";
import { syntheticDays } from "./synthetic.ts";

const hourMs = 3_600_000;
const startAt = Date.UTC(2026, 0, 5);

function jobsOf(seed: number) {
  const random = seededRandom(seed);
  const days = syntheticDays(50, random);
  const paths = Array.from({ length: 20 }, (_, i) => `team${i}`);
  const teams = teamsOf(paths, days, { days: 1, gpus: 2_000, load: 0.8 }, random);
  return followDemand(teams, { startAt, days: 1, medianMs: hourMs, random });
}

describe("jobs that follow a day of demand", () => {
  it("are the same for the same seed, and others for another", () => {
    assert.deepEqual(jobsOf(1), jobsOf(1));
    assert.notDeepEqual(jobsOf(1), jobsOf(2));
  });

  it("come in order, and ask for about the load that was wanted", () => {
    const jobs = jobsOf(1);
    const untilAt = startAt + 24 * hourMs;
    let asked = 0;
    for (const [i, { submitAt, runMs, spec }] of jobs.entries()) {
      assert.ok(submitAt >= (jobs[i - 1]?.submitAt ?? startAt) && submitAt < untilAt);
      asked += spec.gpus[0]!.count * spec.members.min * (Math.min(untilAt, submitAt + runMs) - submitAt);
    }
    const load = asked / (2_000 * 24 * hourMs);
    assert.ok(Math.abs(load - 0.8) < 0.15, `${load}`);
  });
});
