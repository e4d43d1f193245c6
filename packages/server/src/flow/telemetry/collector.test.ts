import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import type { Engine, GpuSample, Telemetry } from "@tessera/engine";
import type { MemberRow, TelemetryRow } from "@tessera/telemetry";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { Collector } from "./collector.ts";

describe("what engines say of their GPUs", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let rows: TelemetryRow[];
  let members: MemberRow[];
  let now: number;
  const warnings: string[] = [];

  beforeEach(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 2));
    tenancy = new Tenancy(control);
    [rows, members] = [[], []];
    warnings.length = 0;
    now = control.now();
  });

  const collectorFor = (everyMs: number, ...told: [name: string, telemetry?: () => Promise<Telemetry>][]) => {
    const engines = told.map(([name, telemetry]) => ({ name, telemetry }) as Partial<Engine> as Engine);
    return new Collector({
      ...{ engines: () => engines, state: control.state, now: () => now, everyMs },
      store: {
        write(more, moreMembers = []) {
          rows.push(...more);
          members.push(...moreMembers);
        },
      },
      warn: (text) => warnings.push(text),
    });
  };
  const sample = (gpu: string, leases: readonly LeaseId[] = [], more: Partial<GpuSample> = {}): GpuSample => ({
    ...{ node: `n${gpu[0]}`, gpuUuid: `GPU-${gpu}`, leases, at: now, source: "nvml" },
    metrics: { smActive: 5_000 },
    ...more,
  });
  const runningJob = async (account: string, gpus: number) => {
    await tenancy.account(account);
    const user = await tenancy.user(`${account}-user`, "member", account);
    const job = await tenancy.job(account, user.id, { gpus });
    await control.run(job);
    // Samples of the time before are those of what held the GPU before.
    now = Math.max(now, control.now() + 10_000);
    const [lease] = [...control.state.leases.values()].filter(({ id }) => id.startsWith(job));
    return { job, user: user.id, lease: lease!, account: control.state.accountByPath.get(account)!.id };
  };

  it("is joined to the job, account and user whose lease holds the GPU", async () => {
    const { job, user, lease, account } = await runningJob("vision", 1);
    const node = control.state.fleet.nodes[lease.node]!;
    const uuid = node.facts.gpus[lease.gpus[0]! - node.firstGpu]!.uuid;
    const gpus = [sample(uuid.slice(4), [lease.id]), sample(uuid === "GPU-1-0" ? "1-1" : "1-0")];
    const told = { gpus, members: [{ lease: lease.id, at: now, cpusMilli: 1_500, memoryMiB: 4_096 }] };
    await collectorFor(10_000, ["test", async () => told]).collect();
    const holder = { lease: lease.id, job, rank: 0, account, user };
    const { lease: id, job: heldBy, rank, account: of, user: by, ...row } = rows[0]!;
    assert.deepEqual({ lease: id, job: heldBy, rank, account: of, user: by }, holder);
    assert.deepEqual([row.node, row.gpu, row.model, row.share, row.spanMs], ["test/n1", uuid, "H100", 21_000, 10_000]);
    assert.equal(rows[1]!.lease, undefined);
    assert.deepEqual([members[0]!.cpusMilli, members[0]!.job], [1_500, job]);
  });

  it("[S23] leaves out a sample that began before the lease: it holds the load of the lease before", async () => {
    const { lease } = await runningJob("vision", 1);
    const node = control.state.fleet.nodes[lease.node]!;
    const uuid = node.facts.gpus[lease.gpus[0]! - node.firstGpu]!.uuid.slice(4);
    now = lease.placedAt + 4_000;
    const collector = collectorFor(10_000, ["test", async () => ({ gpus: [sample(uuid, [lease.id])], members: [] })]);
    await collector.collect();
    assert.equal(rows.length, 0);
    now += 10_000;
    await collector.collect();
    assert.deepEqual(
      rows.map((row) => [row.lease, row.spanMs]),
      [[lease.id, 10_000]],
    );
  });

  it("cannot be about a GPU or a lease of another engine, or one that the lease does not hold", async () => {
    const { lease } = await runningJob("vision", 1);
    const node = control.state.fleet.nodes[lease.node]!;
    const other = node.facts.gpus.find((_, index) => node.firstGpu + index !== lease.gpus[0])!;
    const told = { gpus: [sample(other.uuid.slice(4), [lease.id])], members: [{ lease: lease.id, at: now }] };
    const strange = collectorFor(10_000, ["elsewhere", async () => told]);
    await strange.collect();
    assert.deepEqual([rows, members, strange.counts.dropped], [[], [], 2]);
    const own = collectorFor(10_000, ["test", async () => ({ ...told, members: [] })]);
    await own.collect();
    assert.deepEqual([rows[0]?.lease, own.counts.dropped], [undefined, 1]);
  });

  it("loses values that no sensor gives and samples of another time, and keeps the rest", async () => {
    const metrics = { smActive: 10_001, powerMilliwatts: Number.NaN, temperatureCelsius: 60 };
    const gpus = [sample("1-0", [], { metrics }), sample("1-1", [], { at: now - 3_600_000 }), sample("9-9")];
    const collector = collectorFor(10_000, ["test", async () => ({ gpus, members: [] })]);
    await collector.collect();
    assert.deepEqual(
      rows.map((row) => row.metrics),
      [{ temperatureCelsius: 60 }],
    );
    assert.equal(collector.counts.dropped, 4);
  });

  it("stands for the time since the sample before, but never for a long silence", async () => {
    const collector = collectorFor(10_000, ["test", async () => ({ gpus: [sample("1-0")], members: [] })]);
    for (const passed of [0, 12_000, 0, 600_000]) {
      now += passed;
      await collector.collect();
    }
    assert.deepEqual(
      rows.map(({ spanMs }) => spanMs),
      [10_000, 12_000, 30_000],
    );
  });

  it("goes to each instance with its share, and what only the whole GPU knows goes to all", async () => {
    const { lease } = await runningJob("vision", 1);
    const node = control.state.fleet.nodes[lease.node]!;
    const uuid = node.facts.gpus[lease.gpus[0]! - node.firstGpu]!.uuid.slice(4);
    Object.assign(lease, { part: { mode: "mig", compute: 9_000, memory: 10_500 } });
    const whole = { metrics: { smActive: 4_000, powerMilliwatts: 400_000 } };
    const instance = (name: string, smActive: number) => ({ instance: name, metrics: { smActive } });
    const gpus = [
      sample(uuid, [], whole),
      sample(uuid, [lease.id], instance("MIG-a", 9_000)),
      sample(uuid, [], instance("MIG-b", 0)),
    ];
    await collectorFor(10_000, ["test", async () => ({ gpus, members: [] })]).collect();
    const shown = rows.map(({ instance, share, lease, metrics }) => [instance, share, lease, metrics]);
    assert.deepEqual(shown, [
      ["MIG-a", 9_000, lease.id, { powerMilliwatts: 400_000, smActive: 9_000 }],
      ["MIG-b", 12_000, undefined, { powerMilliwatts: 400_000, smActive: 0 }],
    ]);
  });

  it("[S23] does not tell a tenant what a GPU does that another tenant works on too", async () => {
    const { lease } = await runningJob("vision", 1);
    const { lease: other } = await runningJob("rival", 1);
    const node = control.state.fleet.nodes[lease.node]!;
    const uuid = node.facts.gpus[lease.gpus[0]! - node.firstGpu]!.uuid.slice(4);
    const part = { mode: "mps", compute: 10_500, memory: 10_500 };
    Object.assign(lease, { part });
    Object.assign(other, { part, node: lease.node, gpus: lease.gpus });
    const metrics = { smActive: 9_000, powerMilliwatts: 400_000, memoryUsedMiB: 70_000 };
    const members = [{ lease: lease.id, at: now, gpuMemoryMiB: 1_024 }];
    const together = { gpus: [sample(uuid, [lease.id, other.id], { metrics })], members };
    await collectorFor(10_000, ["test", async () => together]).collect();
    assert.deepEqual(
      rows.map((row) => [row.lease, row.share, row.metrics]),
      [
        [lease.id, 10_500, { memoryUsedMiB: 1_024 }],
        [other.id, 10_500, {}],
      ],
    );
    rows.length = 0;
    const instance = (name: string) => ({ instance: name, metrics: { smActive: 9_000 } });
    const cut = [
      sample(uuid, [], { metrics }),
      sample(uuid, [lease.id], instance("MIG-a")),
      sample(uuid, [other.id], instance("MIG-b")),
    ];
    await collectorFor(10_000, ["test", async () => ({ gpus: cut, members: [] })]).collect();
    assert.deepEqual(
      rows.map((row) => row.metrics),
      [{ smActive: 9_000 }, { smActive: 9_000 }],
    );
  });

  it("is missing for engines that have none, fail or hang, which hold up no other", async () => {
    let asked = 0;
    const fine = async () => ({ gpus: [sample("1-0")], members: [] });
    const hangs = () => {
      asked++;
      return new Promise<Telemetry>(() => {});
    };
    const fails = () => Promise.reject(new Error("no driver"));
    const nonsense = async () => ({}) as Telemetry;
    const collector = collectorFor(
      20,
      ...([["none"], ["hangs", hangs], ["fails", fails], ["odd", nonsense], ["test", fine]] as [
        string,
        (() => Promise<Telemetry>)?,
      ][]),
    );
    await collector.collect();
    now += 20;
    await collector.collect();
    assert.equal(rows.length, 2);
    assert.equal(asked, 1);
    assert.equal(warnings.filter((text) => text.includes("fails gives no telemetry: no driver")).length, 1);
    assert.equal(warnings.length, 3);
  });
});
