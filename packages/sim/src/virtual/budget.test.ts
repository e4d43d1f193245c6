import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import {
  type AccountId,
  type BudgetForeseen,
  hour,
  type JobId,
  type LeaseStopping,
  minute,
  plainTerms,
  reasonFor,
  unitsPerGpu,
} from "@tessera/core";
import { BudgetWatch, budgetStandings, budgetWatchMs, RatedTime } from "@tessera/server";
import { pricedFleet } from "./priced-fleet.fixture.ts";

const start = Date.UTC(2026, 10, 2);
const limitMicros = 30_000_000n;
const graceMs = 2 * minute;

/** 16 GPUs whose budgets are watched. */
async function begin(t: TestContext) {
  const priced = await pricedFleet(start, 2);
  const { clock, store, control, state, now, ask } = priced;
  const rated = new RatedTime({ state, reader: store, follow: (listener) => control.follow(listener) });
  const watch = new BudgetWatch({ state, rated, now, ask }, clock);
  t.after(() => watch.stop());
  watch.start();
  return { ...priced, rated };
}

it("a hard budget lets burst work leave with its grace, and what is spent beyond it is at most that grace x rate", async (t) => {
  const { clock, control, state, rated, must, submit, pass } = await begin(t);
  const stops: LeaseStopping[] = [];
  let leftAt = 0;
  control.follow({
    before: (event) => {
      if (event.kind === "lease-stopping") stops.push(event);
      if (event.kind === "lease-ended") leftAt = event.at;
    },
  });
  const jobOf = (id: string) => control.state.jobById.get(id as JobId)!;
  const floor = { ...plainTerms, quota: { guarantee: { H100: 4 * unitsPerGpu }, weight: 1 } };
  await must({ kind: "account.create", id: "acc_1" as AccountId, path: "lab", terms: floor });
  await must({ kind: "account.create", id: "acc_2" as AccountId, path: "lab/core", terms: floor });
  await must({ kind: "account.create", id: "acc_3" as AccountId, path: "lab/vision", terms: plainTerms });
  const limits = {
    limitMicros: String(limitMicros),
    every: "month",
    alertsPerMille: [500],
    stop: "stop-burst",
  } as const;
  await must({ kind: "budget.set", budget: { account: "lab", currency: "EUR", ...limits } });
  await submit("job_floor", "lab/core", { gpus: 4 });
  // One saves its work when it is asked to, one does not listen and is ended when its grace is over.
  const checkpoint = { dir: "/ckpt", signal: "SIGUSR1", grace: "2m" };
  await submit("job_heeds", "lab/vision", { gpus: 4, checkpoint });
  await submit("job_deaf", "lab/vision", { gpus: 4, checkpoint, run: "trap '' TERM; sleep infinity" });
  assert.deepEqual(
    ["job_floor", "job_heeds", "job_deaf"].map((id) => jobOf(id).class),
    ["guaranteed", "burst", "burst"],
  );

  // 4 reserved GPUs at 2 and 8 beyond them at 3 an hour.
  const ratePerHour = 32_000_000n;
  await pass(start + hour / 2);
  assert.equal(stops.length, 0);
  await pass(start + hour);
  await submit("job_late", "lab/vision", { gpus: 1 });

  assert.deepEqual(
    stops.map(({ lease, cause, signal, graceMs, why }) => [lease.split("-")[0], cause, signal, graceMs, why]),
    ["job_heeds", "job_deaf"].map((id) => [id, "budget", "SIGUSR1", graceMs, "the budget of lab is spent"]),
  );
  const [standing] = await budgetStandings({ state, rated }, [...state.books.budgets.values()], leftAt);
  const overshoot = standing!.spentMicros - limitMicros;
  const most = (ratePerHour * BigInt(graceMs + budgetWatchMs)) / BigInt(hour);
  t.diagnostic(`over by ${overshoot} micros; (grace + time between looks) x rate is ${most} micros`);
  assert.ok(overshoot > 0n && overshoot <= most, `${overshoot} of ${most}`);
  assert.equal(standing!.stopped, "stop-burst");

  assert.deepEqual(
    [...control.state.leases.keys()].map((id) => id.split("-")[0]),
    ["job_floor"],
  );
  for (const id of ["job_heeds", "job_deaf", "job_late"]) {
    const reason = reasonFor(control.state, jobOf(id), clock.now());
    assert.deepEqual([reason.kind, reason.account], ["budget", "lab"], id);
  }
  for (const id of ["job_heeds", "job_deaf"])
    assert.deepEqual(
      jobOf(id).attempts.map(({ why }) => why),
      ["the budget of lab is spent"],
    );
});

it("a budget that will be passed at the rate of now is told once, and again only after the forecast was well below it", async (t) => {
  const { control, must, submit, pass } = await begin(t);
  const quarter = 15 * minute; // the rate of now is that of the last 10 minutes
  const told: BudgetForeseen[] = [];
  control.follow({
    before: (event) => {
      if (event.kind === "budget-foreseen") told.push(event);
    },
  });
  const cancel = (id: string) => must({ kind: "job.cancel", job: id as JobId });
  const overs = () => told.map(({ over }) => over);
  await must({ kind: "account.create", id: "acc_1" as AccountId, path: "lab", terms: plainTerms });
  // Until the month ends a GPU comes to about 2,088: one is 95 % of the limit, two are beyond it.
  const limits = { limitMicros: "2200000000", every: "month", alertsPerMille: [], stop: "alert" } as const;
  await must({ kind: "budget.set", budget: { account: "lab", currency: "EUR", ...limits } });
  await submit("job_1", "lab", { gpus: 1 });
  await pass(start + quarter);
  assert.deepEqual(overs(), []);

  await submit("job_2", "lab", { gpus: 1 });
  await pass(start + 2 * quarter);
  assert.deepEqual(overs(), [true]);
  const [{ account, forecastMicros, spentAt, at }] = told as [BudgetForeseen];
  assert.equal(account, "lab");
  assert.ok(BigInt(forecastMicros) > 2_200_000_000n && at < start + quarter + 10 * minute, forecastMicros);
  assert.ok(spentAt! > at && spentAt! < Date.UTC(2026, 11, 1));

  // Back to 95 %, and over it once more: nothing that its readers do not know.
  await cancel("job_2");
  await pass(start + 3 * quarter);
  await submit("job_3", "lab", { gpus: 1 });
  await pass(start + 4 * quarter);
  assert.deepEqual(overs(), [true]);

  await cancel("job_1");
  await cancel("job_3");
  await pass(start + 5 * quarter);
  assert.deepEqual(overs(), [true, false]);
  await submit("job_4", "lab", { gpus: 2 });
  await pass(start + 6 * quarter);
  assert.deepEqual(overs(), [true, false, true]);
});
