import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import type { GpuMetrics } from "@tessera/engine";
import type { BusyQuery, BusyRow, TelemetryRow } from "@tessera/telemetry";
import type { BusyReport, FleetActivity, TopView } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { parseExposition } from "../../testing/exposition.ts";
import { telemetryOf } from "../../testing/telemetry.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const canary = "zqcanary";

describe("what GPUs do, as tenants and the owner see it", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let owner: TestUser;
  let ana: TestUser;
  let rival: TestUser;
  let own: string;
  let theirs: string;
  const rows: TelemetryRow[] = [];
  const asked: BusyQuery[] = [];
  let busy: BusyRow[] = [];

  /** A sample of everything that a job holds. */
  const sample = (job: string, metrics: GpuMetrics): void => {
    for (const lease of control.state.leases.values()) {
      if (!lease.id.startsWith(job)) continue;
      const node = control.state.fleet.nodes[lease.node]!;
      for (const gpu of lease.gpus) rows.push(rowOf(node.facts.gpus[gpu - node.firstGpu]!.uuid, metrics, lease.id));
    }
  };
  const rowOf = (gpu: string, metrics: GpuMetrics, lease?: LeaseId): TelemetryRow => ({
    ...{
      at: control.now(),
      spanMs: 0,
      node: "test/n1",
      gpu,
      model: "H100",
      share: 21_000,
      source: "simulated",
      metrics,
    },
    ...(lease !== undefined && { lease }),
  });
  /** Samples are looked at every few seconds. */
  const later = async () => {
    control.setTime(control.now() + 4_000);
  };

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    control.setTime(Date.now());
    tenancy = new Tenancy(control);
    for (const path of ["acme", "acme/team", canary]) await tenancy.account(path);
    owner = await tenancy.user("owner", "platform-owner");
    ana = await tenancy.user("ana", "member", "acme");
    rival = await tenancy.user(`${canary}-user`, "member", canary);
    own = await tenancy.job("acme/team", ana.id, { name: "train", gpus: 2 });
    await control.run(own);
    theirs = await tenancy.job(canary, rival.id, { name: `${canary}-job`, gpus: 8 });
    await control.run(theirs);
    const telemetry = telemetryOf({
      rows,
      busy: (query) => {
        asked.push(query);
        return busy;
      },
    });
    server = await serveApi(control, {}, undefined, undefined, undefined, telemetry);
  });
  after(() => server.close());

  it("shows what is held and not measured as such, never as 0", async () => {
    const { rows: found, total } = await server.must<TopView>(ana, "GET", "/v1/top");
    assert.deepEqual(
      found.map(({ key, gpus, measuredGpus, state, activity }) => [key, gpus, measuredGpus, state, activity]),
      [[own, 2, 0, "unmeasured", undefined]],
    );
    assert.equal(total.activity, undefined);
    const text = (await server.call(ana.token, "GET", "/metrics/tenant")).text;
    assert.deepEqual(parseExposition(text).get("tessera_tenant_busy_gpus")?.samples, []);
  });

  it("adds up by job, user, account and GPU, and says what is simulated", async () => {
    await later();
    sample(own, { smActive: 5_000, memoryUsedMiB: 1_024, powerMilliwatts: 300_000 });
    sample(theirs, { smActive: 9_000, memoryUsedMiB: 2_048 });
    for (const [by, key] of [
      ["job", own],
      ["user", ana.id],
      ["account", "acme/team"],
    ]) {
      const view = await server.must<TopView>(ana, "GET", `/v1/top?by=${by}`);
      assert.deepEqual(
        view.rows.map((row) => ({ ...row, name: undefined, account: undefined, user: undefined })),
        [
          {
            ...{ key, share: 100, state: "busy", gpus: 2, measuredGpus: 2, activity: 50 },
            ...{ memoryUsedMiB: 2_048, memoryMiB: 163_840, powerWatts: 600, simulated: true },
            ...{ name: undefined, account: undefined, user: undefined },
          },
        ],
        by,
      );
    }
    const map = (user: TestUser, metric: string) =>
      server.must<FleetActivity>(user, "GET", `/v1/fleet/activity?metric=${metric}`);
    const [none, rest] = [new Array(8).fill(null), new Array(6).fill(null)];
    const ofAna = await map(ana, "activity");
    assert.deepEqual([ofAna.nodes, ofAna.whole, ofAna.unit], [{ n1: [50, 50, ...rest] }, false, "%"]);
    assert.deepEqual((await map(ana, "power")).nodes, { n1: [300, 300, ...rest] });
    assert.deepEqual((await map(ana, "temperature")).nodes, {});
    const ofAll = await map(owner, "activity");
    assert.deepEqual([ofAll.nodes, ofAll.whole], [{ n1: [50, 50, ...rest], n2: none.fill(90) }, true]);
    assert.deepEqual((await map(owner, "power")).nodes, { n1: [300, 300, ...rest] });
    const gpus = await server.must<TopView>(ana, "GET", "/v1/top?by=gpu");
    assert.equal(gpus.rows.length, 2);
    assert.ok(gpus.rows.every(({ job, activity, node }) => job === own && activity === 50 && node === "n1"));
    const all = await server.must<TopView>(owner, "GET", "/v1/top?by=account&sort=activity");
    assert.deepEqual(
      all.rows.map(({ key, activity }) => [key, activity]),
      [
        [canary, 90],
        ["acme/team", 50],
      ],
    );
    const one = await server.must<TopView>(owner, "GET", "/v1/top?limit=1");
    assert.deepEqual([one.rows.length, one.leftOut, one.total.gpus], [1, 1, 10]);
  });

  it("[S23] tells a tenant nothing that changes with the load of others, not even in totals", async () => {
    const ways = ["job", "user", "account", "gpu"].map((by) => `/v1/top?by=${by}`);
    const maps = ["activity", "power", "temperature"].map((metric) => `/v1/fleet/activity?metric=${metric}`);
    const addresses = ["/metrics/tenant", ...ways, ...maps];
    const look = async () => {
      const texts: string[] = [];
      for (const address of addresses) {
        const { status, text } = await server.call(ana.token, "GET", address);
        assert.equal(status, 200, address);
        for (const mark of [canary, theirs, rival.id]) assert.equal(text.includes(mark), false, `${address}: ${mark}`);
        texts.push(text.replace(/"at":"[^"]*"/, ""));
      }
      return texts;
    };
    const before = await look();
    assert.match(
      before[0]!,
      new RegExp(`tessera_tenant_busy_gpus{account="acme/team",job="${own}",gpu="GPU-1-0"} 0.5\n`),
    );
    await later();
    sample(theirs, { smActive: 100, memoryUsedMiB: 70_000, powerMilliwatts: 1 });
    rows.push(rowOf("GPU-1-7", { smActive: 10_000 }));
    const second = await tenancy.job(canary, rival.id, { name: `${canary}-two`, gpus: 4 });
    await control.run(second);
    assert.deepEqual(await look(), before);
    await control.finish(second);
    await later();
    assert.deepEqual(await look(), before);
  });

  it("[S23] does not take what was measured before a lease began for its own", async () => {
    await later();
    const part = [...control.state.leases.values()].find(({ id }) => id.startsWith(own))!;
    const before = rows.length;
    rows.push({ ...rowOf("GPU-1-0", { smActive: 9_900 }, part.id), spanMs: 1_000_000_000 });
    const { text } = await server.call(ana.token, "GET", "/metrics/tenant");
    rows.splice(before);
    assert.doesNotMatch(
      text,
      /tessera_tenant_busy_gpus\{[^}]*GPU-1-0"\} 0\.99/,
      "a sample that began before the lease",
    );
  });

  it("gives the owner one line for each model and tenant, and what is busy without a lease", async () => {
    await later();
    const { text } = await server.call(owner.token, "GET", "/metrics");
    const families = parseExposition(text);
    const values = (name: string) => families.get(name)!.samples.map(({ labels, value }) => [labels, value]);
    assert.deepEqual(values("tessera_leased_measured_gpus"), [[{ model: "H100" }, 10]]);
    assert.deepEqual(values("tessera_account_measured_gpus"), [
      [{ account: "acme" }, 2],
      [{ account: canary }, 8],
    ]);
    assert.deepEqual(values("tessera_unleased_busy_gpus"), [[{ model: "H100" }, 1]]);
    assert.deepEqual(values("tessera_nodes").slice(0, 1), [[{ mode: "up" }, 2]]);
    for (const { samples } of families.values())
      for (const { labels } of samples) assert.ok(!("gpu" in labels) && !("job" in labels) && !("node" in labels));
    const top = await server.must<TopView>(owner, "GET", "/v1/top?by=gpu&sort=activity");
    assert.deepEqual([top.rows[0]!.key, top.rows[0]!.state], ["GPU-1-7", "unleased"]);
    const theirText = (await server.call(ana.token, "GET", "/metrics")).text;
    assert.doesNotMatch(theirText, /tessera_(leased|account|sampled|unleased)_/);
  });

  it("asks for measured time of the caller's own accounts only, under the keys of the books", async () => {
    const id = control.state.accountByPath.get("acme/team")!.id;
    busy = [
      {
        key: id,
        sampledMs: 10,
        leasedMs: 10,
        measuredMs: 8,
        busyMs: 4,
        idleMs: 1,
        memoryPeakMiB: 3,
        energyMillijoules: 9_000,
      },
    ];
    asked.length = 0;
    const report = await server.must<BusyReport>(ana, "GET", "/v1/busy?from=1h");
    const row = { key: "acme/team", measuredMs: 8, busyMs: 4, idleMs: 1, memoryPeakMiB: 3, energyJoules: 9 };
    assert.deepEqual(report.rows, [row]);
    assert.deepEqual([...asked[0]!.filter.accounts!].sort(), [control.state.accountByPath.get("acme")!.id, id].sort());
    assert.equal((await server.call(ana.token, "GET", `/v1/busy?account=${canary}`)).status, 404);
  });
});
