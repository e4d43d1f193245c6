import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PriceVersion } from "@tessera/core";
import type { WasteReport } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";
import type { LeaseActivity } from "./activity.ts";
import { openStretches } from "./usage.ts";
import { type WasteAsk, wasteReport } from "./waste.ts";

const start = 1_800_000_000_000;
const gpu = 21_000;
const hour = 3_600_000;

function listOf(id: string, fromAt: number, burstMicros: number): PriceVersion {
  return {
    id,
    fromAt,
    currency: "EUR",
    gpus: [{ model: "*", reservedMicros: 1_000_000, burstMicros }],
    isolation: {},
    topology: {},
    profile: {},
    cpuMicrosPerCoreHour: 0,
    memoryMicrosPerGiBHour: 0,
    storageMicrosPerGiBHour: 0,
    unbilled: [],
    lenderPerMille: 0,
    lostWorkPerMille: 0,
    idle: { policy: "absorb", gpus: [] },
    minimumMicros: 0,
    rounding: "half-up",
    timesOfDay: [],
  };
}

async function begin() {
  const control = await TestControl.start();
  control.setTime(start);
  await control.must({ kind: "node.register", nodes: fleetOf(2, 8) });
  await control.must({ kind: "price.add", version: listOf("p1", start, 2_000_000) });
  const tenancy = new Tenancy(control);
  for (const path of ["lab", "mill"]) await tenancy.account(path);
  const ada = await tenancy.user("ada", "member", "lab");
  const bob = await tenancy.user("bob", "member", "mill");
  const owner = await tenancy.user("own", "platform-owner");
  const report = async (activity: Record<string, LeaseActivity> = {}, ask: Partial<WasteAsk> = {}) => {
    const to = ask.to ?? control.now();
    const { seq } = await control.reader.head();
    const full: WasteAsk = { by: "account", from: start, accounts: [""], fleet: true, ...ask, to };
    const told = async () => new Map(Object.entries(activity));
    const names = { ofUser: () => "", ofLiveJob: () => undefined };
    return wasteReport(control.reader, control.state, openStretches(control.state, seq, to), full, told, names);
  };
  return { control, tenancy, ada, bob, owner, report };
}

function hours(unitMs: string): number {
  return Number(unitMs) / gpu / hour;
}

function sumOf(parts: readonly string[]): string {
  return String(parts.reduce((sum, part) => sum + BigInt(part), 0n));
}

function assertExact({ rows, total, capacity }: Omit<WasteReport, "unfit">): void {
  assert.equal(capacity?.exact, true);
  assert.equal(total.unitMs, capacity?.unitMs);
  assert.equal(total.micros, capacity?.micros);
  for (const of of ["unitMs", "micros"] as const) {
    assert.equal(sumOf(rows.map((row) => row[of])), total[of]);
    assert.equal(sumOf(Object.values(total.classes).map((part) => part[of])), total[of]);
  }
}

describe("the waste report", () => {
  it("[S10] divides capacity among classes and teams, in GPU time and money, exactly", async () => {
    const { control, tenancy, ada, bob, report } = await begin();
    const one = await tenancy.job("lab", ada.id, { gpus: "H100:8" });
    await tenancy.job("mill", bob.id, { gpus: 2 });
    await control.run(one);
    const [lease] = control.state.jobById.get(one)!.leases;
    control.setTime(start + hour);
    const told = await report({ [lease!.id]: { measuredMs: 8 * hour, busyMs: 2 * hour, idleMs: 5 * hour } });
    assertExact(told);
    const shown = told.rows.map(({ key, classes }) => [
      key,
      Object.fromEntries(Object.entries(classes).map(([name, { unitMs }]) => [name, hours(unitMs)])),
    ]);
    assert.deepEqual(shown, [
      ["", { unallocated_idle: 6 }],
      ["lab", { busy: 2, allocated_partly: 1, allocated_idle: 5 }],
      ["mill", { setup: 2 }],
    ]);
    assert.equal(told.total.classes.busy?.micros, "4000000");
    assert.equal(told.capacity?.perCentMonthMicros, String((16 * 2_000_000 * 720) / 100));
    for (const by of ["user", "job", "node", "model"] as const) assertExact(await report({}, { by }));
    assertExact(await report({}, { from: start + 1_234_567, to: start + 2_345_678 }));
  });

  it("prices each part of the span by the list that held then", async () => {
    const { control, report } = await begin();
    control.setTime(start + hour);
    await control.must({ kind: "price.add", version: listOf("p2", start + 2 * hour, 3_000_000) });
    control.setTime(start + 3 * hour);
    const told = await report();
    assertExact(told);
    assert.equal(told.capacity?.micros, String(16 * (2 * 2_000_000 + 3_000_000)));
  });

  it("names jobs that held more than they used, and the shape that would have done", async () => {
    const { control, tenancy, ada, report } = await begin();
    const small = await tenancy.job("lab", ada.id, { gpus: 1, name: "small" });
    const unseen = await tenancy.job("lab", ada.id, { gpus: 1 });
    for (const job of [small, unseen]) await control.run(job);
    const leaseOf = (job: typeof small) => control.state.jobById.get(job)!.leases[0]!.id;
    control.setTime(start + hour);
    const activity = { measuredMs: hour, busyMs: hour / 20, idleMs: 0 };
    const { oversized } = await report({
      [leaseOf(small)]: { ...activity, memoryPeakMiB: 11 * 1024 },
      [leaseOf(unseen)]: activity,
    });
    assert.deepEqual(
      oversized.map(({ job, held, smaller, savesUnitMs }) => [job, held, smaller, savesUnitMs]),
      [[small, "H100:1", "H100:1g.20gb", String(gpu * hour - (gpu / 7) * hour)]],
    );
  });

  it("shows a team its own part only, and the fleet to its owner", async () => {
    const { control, tenancy, ada, bob, owner } = await begin();
    await tenancy.job("lab", ada.id, { gpus: "H100:6", name: "mine" });
    await tenancy.job("mill", bob.id, { gpus: "H100:6", name: "canary" });
    await tenancy.job("mill", bob.id, { gpus: "H100:4", name: "canary" });
    control.setTime(start + 60_000);
    const server = await serveApi(control);
    try {
      const mine = await server.call(ada.token, "GET", "/v1/waste?by=job&from=1h");
      assert.equal(mine.status, 200);
      assert.equal(/canary|mill/.test(mine.text), false, mine.text);
      assert.deepEqual(
        [mine.json.capacity, mine.json.free, mine.json.unfit, mine.json.total.unitMs],
        [undefined, undefined, [], String(6 * gpu * 60_000)],
      );
      const all = (await server.call(owner.token, "GET", "/v1/waste?from=1h")).json as WasteReport;
      assertExact(all);
      assert.deepEqual(all.free, [{ model: "H100", gpus: 4, whole: 4, nodes: { 2: 2 } }]);
      assert.deepEqual(
        all.unfit.map(({ shape, jobs }) => [shape, jobs]),
        [["H100:4", 1]],
      );
      const cut = (await server.call(owner.token, "GET", "/v1/waste?account=lab")).json as WasteReport;
      assert.deepEqual([cut.capacity, cut.rows.length], [undefined, 1]);
      assert.equal((await server.call(ada.token, "GET", "/v1/waste?account=mill")).status, 404);
      assert.equal((await server.call(owner.token, "GET", "/v1/waste?by=gpu")).status, 400);
    } finally {
      await server.close();
    }
  });
});
