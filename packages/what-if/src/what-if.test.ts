import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import {
  type AccountId,
  type JobId,
  type PriceVersion,
  plainPolicy,
  plainTerms,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import { type Behaviour, SimulatedClock, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import { openStore } from "@tessera/server";
import { alikeNodes, BadInput, gangSpec, VirtualControlPlane, WrongUsage } from "@tessera/sim";
import { runWhatIf } from "./command.ts";
import type { Report } from "./report.ts";

const minute = 60_000;
const startAt = Date.UTC(2026, 10, 2, 8);
const run = { a: 60, b: 60, c: 30, d: 20 } as const;
const checkpointMs = 4 * minute;
/** The victims stopped at once, and did not use their minute of grace. */
const usualLeaveMs = 0;
const priceList: PriceVersion = {
  ...{ id: "p1", fromAt: 0, currency: "EUR", isolation: {}, topology: {}, profile: {}, timesOfDay: [] },
  gpus: [{ model: "*", reservedMicros: 1_000_000, burstMicros: 3_000_000 }],
  ...{ cpuMicrosPerCoreHour: 0, memoryMicrosPerGiBHour: 0, storageMicrosPerGiBHour: 0, minimumMicros: 1_000_000_000 },
  ...{ lenderPerMille: 0, lostWorkPerMille: 0, unbilled: [], rounding: "half-up" },
  idle: { policy: "absorb", gpus: [] },
};
const folder = mkdtempSync(join(tmpdir(), "what-if-"));
after(() => rmSync(folder, { recursive: true }));

/** Two nodes of eight: the guest borrows both, and after ten minutes the owner takes one back for c, then d comes. */
async function recordMorning(data: string, scrub: { readonly scrubMs?: number } = {}): Promise<void> {
  const store = await openStore({ dir: join(data, "store") });
  const control = new VirtualControlPlane(new SimulatedClock(startAt), store);
  const nodes = alikeNodes(2, 8);
  const saved = new Map<string, number>();
  const behaviour = ({ job }: { job: string }): Behaviour => ({
    startMs: 0,
    runMs: run[job.slice("job_".length) as keyof typeof run] * minute - (saved.get(job) ?? 0),
    exitCode: 0,
    ignoresSignal: false,
  });
  control.follow({
    before(event, state) {
      if (event.kind !== "job-requeued") return;
      const { id, startedAt } = state.jobs.get(event.job)!;
      const ranMs = event.at - startedAt;
      saved.set(id, (saved.get(id) ?? 0) + ranMs - (ranMs % checkpointMs));
    },
  });
  const fleet = new SimulatedFleet({ clock: control.clock, nodes, prepareMs: 0, behaviour });
  await control.drive(new SimulatedEngine(fleet));
  const floor = (gpus: number) => ({ ...plainTerms, quota: { guarantee: { "*": gpus * unitsPerGpu }, weight: 1 } });
  const gang = gangSpec({ gpus: 8, gpusPerNode: 8, checkpointMs });
  const submit = (job: string, account: string) =>
    control.ask({
      kind: "job.submit",
      id: `job_${job}` as JobId,
      account,
      user: "usr_1" as UserId,
      spec: { ...gang, checkpoint: { ...gang.checkpoint!, graceMs: minute } },
      endedBefore: [],
    });
  void control.ask({ kind: "node.register", nodes });
  void control.ask({ kind: "policy.set", policy: { ...plainPolicy, ...scrub, rebalance: "on" } });
  void control.ask({ kind: "price.add", version: priceList });
  await control.settle();
  void control.ask({ kind: "account.create", id: "acc_owner" as AccountId, path: "owner", terms: floor(8) });
  void control.ask({ kind: "account.create", id: "acc_guest" as AccountId, path: "guest", terms: floor(8) });
  await control.settle();
  void submit("a", "guest");
  void submit("b", "guest");
  await control.settle();
  for (const [at, job] of [
    [10, "c"],
    [15, "d"],
  ] as const) {
    await control.advanceTo(startAt + at * minute);
    void submit(job, "owner");
    await control.settle();
  }
  await control.advanceTo(startAt + 240 * minute);
  await control.settle();
  await store.close();
}

function whatIf(...args: string[]): Promise<Report> {
  return whatIfOf(folder, ...args);
}

async function whatIfOf(data: string, ...args: string[]): Promise<Report> {
  const lines: string[] = [];
  const out = (line: string) => lines.push(line);
  await runWhatIf(["--data", data, "-o", "json", ...args], { out, err: out, paint: (_, text) => text });
  return JSON.parse(lines.join("\n")) as Report;
}

describe("what-if", async () => {
  await recordMorning(folder);

  test("[S26] recorded inputs alone lead to the recorded decisions and state", async () => {
    const replay = (await whatIf()).replay!;
    assert.deepEqual([replay.differences, replay.sameState, replay.first, replay.batches > 10], [0, true, null, true]);
  });

  test("an unchanged rerun comes out as the past did", async () => {
    const { recorded, fleet, jobs } = await whatIf();
    const { utilization, ...figures } = fleet.asItWas;
    assert.deepEqual(figures, recorded);
    assert.equal(recorded.evictions, 1);
    assert.ok(utilization > 0.2 && utilization < 1);
    assert.deepEqual(jobs, []);
  });

  test("[S4] GPUs that pass between tenants are scrubbed in the rerun too, for as long as it took", async () => {
    const data = join(folder, "scrubbed");
    await recordMorning(data, { scrubMs: 10_000 });
    const { recorded, fleet, scrubs } = await whatIfOf(data);
    const { utilization: _, ...figures } = fleet.asItWas;
    assert.deepEqual(figures, recorded);
    assert.deepEqual([recorded.jobs, recorded.started], [4, 4]);
    assert.deepEqual(scrubs.asItWas, { count: 1, waitedMs: 10_000 });
    const plain = await whatIf();
    assert.deepEqual(plain.scrubs.changed, { count: 0, waitedMs: 0 });
  });

  test("without its floor the owner waits, and nobody is preempted", async () => {
    const report = await whatIf("--set", "quota.owner.guarantee=0", "--policy", "rebalance=off");
    assert.deepEqual([report.fleet.asItWas.evictions, report.fleet.changed.evictions], [1, 0]);
    assert.equal(report.fleet.changed.lostGpuMs, 0);
    const c = report.jobs.find(({ job }) => job === "job_c")!;
    assert.deepEqual([c.asItWas.waitMs, c.changed.waitMs], [0, 50 * minute]);
  });

  test("who would have paid how much is told, as the product bills it", async () => {
    const { currency, recorded, accounts, from, to } = await whatIf("--set", "quota.owner.guarantee=0");
    assert.equal(currency, "EUR");
    const costs = (name: string) => {
      const { asItWas, changed } = accounts.find(({ account }) => account === name)!;
      return [Number(asItWas.costMicros), Number(changed.costMicros)];
    };
    const [owner, guest] = [costs("owner"), costs("guest")];
    // Eight reserved GPUs at 1 EUR an hour, whatever the owner does with them; without them its 50 minutes at 3.
    const floor = Math.round((8 * 1_000_000 * (to - from)) / (60 * minute));
    assert.deepEqual(owner, [floor, Math.round((8 * 3_000_000 * 50) / 60)]);
    // The guest pays its floor, and for what it borrows: no account reclaims that where none has a floor.
    assert.ok(guest[0]! > floor && guest[1]! > guest[0]!, String(guest));
    assert.equal(Number(recorded.costMicros), owner[0]! + guest[0]!);
  });

  test("hard quotas let each account hold its guarantee only, and what sharing gave is told in GPU time and money", async () => {
    const { savings, fleet, accounts } = await whatIf("--hard-quotas");
    const { asItWas, changed } = fleet;
    const gpuMs = asItWas.heldGpuMs - asItWas.lostGpuMs - (changed.heldGpuMs - changed.lostGpuMs);
    assert.ok(gpuMs > 0);
    assert.equal(Number(savings?.unitMs), gpuMs * unitsPerGpu);
    assert.equal(Number(savings?.micros), Math.round((gpuMs * 3_000_000) / (60 * minute)));
    assert.equal(changed.evictions, 0);
    // One of the guest's two gangs waits until the other has ended.
    const guest = accounts.find(({ account }) => account === "guest")!;
    assert.ok(guest.changed.waitMsMean > guest.asItWas.waitMsMean);
    assert.equal((await whatIf()).savings, undefined);
  });

  test("with hard quotas a tenant without a guarantee has nothing", async () => {
    const { accounts } = await whatIf("--hard-quotas", "--set", "quota.guest.guarantee=0");
    const guest = accounts.find(({ account }) => account === "guest")!;
    assert.equal(guest.changed.heldGpuMs, 0);
  });

  test("a job that never was told to leave leaves as fast as others usually did", async () => {
    const { jobs, accounts } = await whatIf("--set", "quota.guest.guarantee=0", "--set", "quota.owner.guarantee=16");
    const evicted = jobs
      .filter(({ changed }) => changed.evictions > 0)
      .map(({ job, asItWas }) => [job, asItWas.evictions]);
    assert.deepEqual(evicted.sort(), [
      ["job_a", 0],
      ["job_b", 1],
    ]);
    const owner = accounts.find(({ account }) => account === "owner")!;
    assert.equal(owner.changed.waitMsMean, usualLeaveMs);
  });

  test("with a node less all wait longer", async () => {
    const { fleet, refused, jobs } = await whatIf("--nodes=-1x8:gpu", "--set", "quota.guest.guarantee=0");
    assert.ok(fleet.changed.waitMsMean > fleet.asItWas.waitMsMean && jobs.length > 0);
    assert.deepEqual(refused, { asItWas: 0, changed: 0, first: [] });
  });

  test("what the change makes impossible is told", async () => {
    const { refused } = await whatIf("--nodes=-1x8:gpu");
    assert.equal(refused.asItWas, 0);
    assert.match(refused.first[0]!, /^account\.create guest: /);
    await assert.rejects(whatIf("--nodes=-3x8"), /the fleet had never 3 nodes with 8 GPUs to do without/);
  });

  test("with another node nobody waits", async () => {
    const { fleet } = await whatIf("--nodes", "2x8:gpu");
    assert.deepEqual([fleet.changed.waitMsMean, fleet.changed.evictions], [0, 0]);
    assert.ok(fleet.changed.utilization < fleet.asItWas.utilization);
  });

  test("a later beginning takes up what runs then", async () => {
    const { from, recorded, fleet } = await whatIf("--from", new Date(startAt + 12 * minute).toISOString());
    assert.equal(from, startAt + 12 * minute);
    const { utilization: _, ...figures } = fleet.asItWas;
    assert.deepEqual(figures, recorded);
  });

  test("the accounting of a Slurm cluster is a past too", async () => {
    const file = join(folder, "sacct.txt");
    const rows = ["1|physics|ana|0|0|60", "2|physics|ana|1|60|120", "3|biology|ben|2|120|150"].map((row) => {
      const [id, account, user, submit, start, end] = row.split("|");
      const at = (min: string) => new Date(startAt + Number(min) * minute).toISOString().slice(0, 19);
      return [id, account, user, at(submit!), at(start!), at(end!), "cpu=8,gres/gpu=8", "1", "02:00:00"].join("|");
    });
    const header = "JobID|Account|User|Submit|Start|End|AllocTRES|NNodes|Timelimit";
    writeFileSync(file, [header, ...rows, ""].join("\n"));
    const past = ["--sacct", file, "--fleet", "1x8"];
    const { recorded, fleet, replay } = await whatIf(...past);
    assert.deepEqual([replay, recorded.waitMsMean, fleet.asItWas.waitMsMean], [null, 59 * minute, 59 * minute]);
    const { accounts } = await whatIf(...past, "--set", "quota.biology.guarantee=8");
    const biology = accounts.find(({ account }) => account === "biology")!;
    assert.ok(biology.asItWas.waitMsMean > 0);
    assert.ok(biology.changed.waitMsMean < minute, "a floor is claimed at once");
    await assert.rejects(whatIf("--sacct", file), /--fleet/);
  });

  test("what makes no sense is named", async () => {
    await assert.rejects(whatIf("--set", "quota.nobody.guarantee=1"), WrongUsage);
    await assert.rejects(whatIf("--set", "quota.owner.floor=1"), BadInput);
    await assert.rejects(whatIf("--policy", "rebalance=maybe"), /rebalance=on\|checkpointed\|off/);
    await assert.rejects(whatIf("--nodes", "1x8:H900"), /model H900/);
    await assert.rejects(whatIf("--from", "soon"), /--from soon/);
    await assert.rejects(whatIf("--from", "2036-01-01T00:00:00Z"), /the newest entry is of 2026/);
  });
});
