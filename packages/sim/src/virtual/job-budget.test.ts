import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountId, hour, type JobEnded, type JobId, type LeaseStopping, minute, plainTerms } from "@tessera/core";
import { costOfJob, JobBudgetWatch } from "@tessera/server";
import { pricedFleet } from "./priced-fleet.fixture.ts";

const start = Date.UTC(2026, 10, 2);
const graceMs = 2 * minute;

it("a job leaves gracefully when its own budget is used up, tells why, and overshoots by at most grace x rate", async (t) => {
  const { clock, store, control, state, now, ask, must, submit, pass } = await pricedFleet(start, 1);
  const stops: LeaseStopping[] = [];
  const ends: JobEnded[] = [];
  control.follow({
    before: (event) => {
      if (event.kind === "lease-stopping") stops.push(event);
      if (event.kind === "job-ended") ends.push(event);
    },
  });
  const watch = new JobBudgetWatch({ state, reader: store, now, ask }, clock);
  t.after(() => watch.stop());
  watch.start();
  await must({ kind: "account.create", id: "acc_1" as AccountId, path: "lab", terms: plainTerms });
  // 4 GPUs beyond the guarantee at 3 an hour: 12 are spent after an hour. It does not listen, and uses all of its grace.
  const checkpoint = { dir: "/ckpt", signal: "SIGUSR1", grace: "2m" };
  await submit("job_capped", "lab", { gpus: 4, budget: 12, checkpoint, run: "trap '' TERM; sleep infinity" });
  await submit("job_free", "lab", { gpus: 1, budget: 1000 });
  await pass(start + 2 * hour);

  assert.deepEqual(
    stops.map(({ lease, cause, why }) => [lease.split("-")[0], cause, why]),
    [["job_capped", "spent", "its own budget of 12.00 EUR is spent"]],
  );
  assert.deepEqual(
    ends.map(({ outcome, reason }) => [outcome, reason]),
    [["over-budget", "its own budget of 12.00 EUR is spent"]],
  );
  const cost = await costOfJob(store, state, { id: "job_capped", account: "lab" }, clock.now());
  const overshoot = cost!.micros - 12_000_000n;
  const most = (12_000_000n * BigInt(graceMs)) / BigInt(hour) + 12_000_000n / BigInt(hour / 50);
  t.diagnostic(`over by ${overshoot} micros; grace x rate, and the shortest time between looks, is ${most} micros`);
  assert.ok(overshoot > 0n && overshoot <= most, `${overshoot} of ${most}`);
  assert.equal(state.jobById.get("job_free" as JobId)!.state, "running");
});
