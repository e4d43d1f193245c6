import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type AccountId,
  type Command,
  hour,
  isRefusal,
  type JobEnded,
  type JobId,
  type LeaseStopping,
  minute,
  parseJob,
  plainTerms,
  type RawJob,
  type UserId,
} from "@tessera/core";
import { declareNodes, SimulatedClock, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import { costOfJob, JobBudgetWatch, openMemoryStore } from "@tessera/server";
import { testPrices } from "@tessera/server/testing/tenancy";
import { VirtualControlPlane } from "./control-plane.ts";

const start = Date.UTC(2026, 10, 2);
const graceMs = 2 * minute;

it("a job leaves gracefully when its own budget is used up, tells why, and overshoots by at most grace x rate", async (t) => {
  const clock = new SimulatedClock(start);
  const store = openMemoryStore();
  const control = new VirtualControlPlane(clock, store);
  const fleet = new SimulatedFleet({ clock, nodes: declareNodes({ count: 1, gpusEach: 8, model: "H100" }) });
  const stops: LeaseStopping[] = [];
  const ends: JobEnded[] = [];
  control.follow({
    before: (event) => {
      if (event.kind === "lease-stopping") stops.push(event);
      if (event.kind === "job-ended") ends.push(event);
    },
  });
  await control.drive(new SimulatedEngine(fleet));
  const now = () => clock.now();
  const ask = (command: Command) => control.ask(command);
  const watch = new JobBudgetWatch({ state: control.state, reader: store, now, ask }, clock);
  t.after(() => watch.stop());
  watch.start();
  const must = async (command: Command) => {
    const asked = ask(command);
    assert.ok(await control.settle());
    const done = await asked;
    assert.ok(!isRefusal(done), JSON.stringify(done));
  };
  const submit = async (id: string, raw: Partial<RawJob>) => {
    const spec = parseJob({ run: "sleep infinity", ...raw }, { after: [] });
    assert.ok(!isRefusal(spec), JSON.stringify(spec));
    await must({
      kind: "job.submit",
      id: id as JobId,
      account: "lab",
      user: "usr_1" as UserId,
      spec,
      endedBefore: [],
    });
  };
  await must({ kind: "node.register", nodes: fleet.nodes() });
  await must({ kind: "price.add", version: testPrices });
  await must({ kind: "account.create", id: "acc_1" as AccountId, path: "lab", terms: plainTerms });
  // 4 GPUs beyond the guarantee at 3 an hour: 12 are spent after an hour. It does not listen, and uses all of its grace.
  const checkpoint = { dir: "/ckpt", signal: "SIGUSR1", grace: "2m" };
  await submit("job_capped", { gpus: 4, budget: 12, checkpoint, run: "trap '' TERM; sleep infinity" });
  await submit("job_free", { gpus: 1, budget: 1000 });
  assert.ok((await control.advanceTo(start + 2 * hour)) && (await control.settle()));

  assert.deepEqual(
    stops.map(({ lease, cause, why }) => [lease.split("-")[0], cause, why]),
    [["job_capped", "spent", "its own budget of 12.00 EUR is spent"]],
  );
  assert.deepEqual(
    ends.map(({ outcome, reason }) => [outcome, reason]),
    [["over-budget", "its own budget of 12.00 EUR is spent"]],
  );
  const cost = await costOfJob(store, control.state, { id: "job_capped", account: "lab" }, clock.now());
  const overshoot = cost!.micros - 12_000_000n;
  const most = (12_000_000n * BigInt(graceMs)) / BigInt(hour) + 12_000_000n / BigInt(hour / 50);
  t.diagnostic(`over by ${overshoot} micros; grace x rate, and the shortest time between looks, is ${most} micros`);
  assert.ok(overshoot > 0n && overshoot <= most, `${overshoot} of ${most}`);
  assert.equal(control.state.jobById.get("job_free" as JobId)!.state, "running");
});
