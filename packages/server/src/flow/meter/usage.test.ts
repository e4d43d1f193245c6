import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, type JobId, type Policy, plainPolicy } from "@tessera/core";
import fc from "fast-check";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";
import { openStretches, reportSpan, type UsageAsk, usageReport } from "./usage.ts";

const start = 1_800_000_000_000;
const gpu = 21_000;

async function begin(nodes = 2) {
  const control = await TestControl.start();
  control.setTime(start);
  await control.must({ kind: "node.register", nodes: fleetOf(nodes, 8) });
  const tenancy = new Tenancy(control);
  for (const path of ["lab", "lab/vision", "mill"]) await tenancy.account(path);
  const ada = await tenancy.user("ada", "member", "lab/vision");
  const bob = await tenancy.user("bob", "member", "mill");
  const owner = await tenancy.user("own", "platform-owner");
  const report = async (ask: Partial<UsageAsk> = {}) => {
    const to = ask.to ?? control.now();
    const { seq } = await control.reader.head();
    const full: UsageAsk = { by: "account", from: start, accounts: [""], fleet: true, ...ask, to };
    return usageReport(control.reader, openStretches(control.state, seq, to), full, () => "");
  };
  return { control, tenancy, ada, bob, owner, report };
}

describe("usage", () => {
  it("[S10] adds up to the millisecond, with jobs that still run", async () => {
    const { control, tenancy, ada, bob, report } = await begin();
    const one = await tenancy.job("lab/vision", ada.id, { gpus: "H100:8" });
    control.setTime(start + 1000);
    await control.run(one);
    control.setTime(start + 5000);
    await tenancy.job("mill", bob.id, { gpus: 2 });
    control.setTime(start + 7000);
    await control.finish(one);
    control.setTime(start + 10_000);
    const { rows, fleet, total } = await report();
    assert.deepEqual(rows, [
      {
        key: "lab/vision",
        unitMs: String(8 * gpu * 7000),
        byState: { running: String(8 * gpu * 6000), starting: String(8 * gpu * 1000) },
        gpuHours: "0.016",
      },
      { key: "mill", unitMs: String(2 * gpu * 5000), byState: { starting: String(2 * gpu * 5000) }, gpuHours: "0.003" },
    ]);
    const leased = 8 * gpu * 7000 + 2 * gpu * 5000;
    assert.equal(total, String(leased));
    assert.deepEqual(fleet, {
      capacity: String(16 * gpu * 10_000),
      leased: String(leased),
      dedicated: "0",
      scrub: "0",
      reshape: "0",
      idle: String(16 * gpu * 10_000 - leased),
      stranded: "0",
      held: "0",
      down: "0",
      maintenance: "0",
      balanced: true,
      differenceUnitMs: "0",
    });
    const middle = await report({ from: start + 6000, to: start + 8000, by: "job" });
    assert.equal(middle.total, String(8 * gpu * 1000 + 2 * gpu * 2000));
    assert.equal(middle.fleet?.balanced, true);
  });

  it("gives the largest rows and what the others come to, and the use of one job alone", async () => {
    const { control, tenancy, ada, report } = await begin();
    const jobs = [];
    for (const gpus of [1, 4, 2]) jobs.push(await tenancy.job("lab/vision", ada.id, { gpus }));
    control.setTime(start + 1000);
    const { rows, rest, total } = await report({ by: "job", limit: 1 });
    assert.deepEqual(
      rows.map(({ key, unitMs }) => [key, unitMs]),
      [[jobs[1], String(4 * gpu * 1000)]],
    );
    assert.deepEqual(rest, { rows: 2, unitMs: String(3 * gpu * 1000) });
    assert.equal(total, String(7 * gpu * 1000));
    const one = await report({ by: "job", job: jobs[2]! });
    assert.deepEqual([one.rows.map(({ key }) => key), one.total], [[jobs[2]], String(2 * gpu * 1000)]);
    assert.equal(one.fleet?.balanced, true);
  });

  it("[S10] says what is stranded: free, while others hold all cores of the node", async () => {
    const { control, tenancy, ada, report } = await begin(1);
    const [node] = control.state.fleet.nodes;
    const greedy = await tenancy.job("lab/vision", ada.id, { gpus: 1, cpus: node!.facts.cpusMilli / 1000 });
    control.setTime(start + 1000);
    await control.run(greedy);
    control.setTime(start + 5000);
    await control.finish(greedy);
    control.setTime(start + 8000);
    const { fleet } = await report();
    assert.deepEqual(
      [fleet!.leased, fleet!.stranded, fleet!.idle, fleet!.balanced],
      [String(gpu * 5000), String(7 * gpu * 5000), String(8 * gpu * 3000), true],
    );
  });

  it("says what is down and what is in maintenance, and does not count what is not there yet", async () => {
    const { control, report } = await begin(2);
    control.setTime(start + 1000);
    await control.must({ kind: "node.drain", node: "n1", reason: "" });
    control.setTime(start + 3000);
    await control.must({ kind: "node.up", node: "n1" });
    control.setTime(start + 4000);
    await control.must({ kind: "node.down", node: "n2", reason: "" });
    control.setTime(start + 9000);
    const { fleet } = await report({ from: start - 5000 });
    assert.equal(fleet?.capacity, String(16 * gpu * 9000));
    assert.equal(fleet?.maintenance, String(8 * gpu * 2000));
    assert.equal(fleet?.down, String(8 * gpu * 5000));
    assert.equal(fleet?.balanced, true);
  });

  it("notices when the books do not agree", async () => {
    const { control, tenancy, ada, report } = await begin();
    await tenancy.job("lab/vision", ada.id, { gpus: 1 });
    control.setTime(start + 10);
    await tenancy.job("lab/vision", ada.id, { gpus: 1 }); // what lies before is known to the state
    const usage = control.reader.usage.bind(control.reader);
    const row = {
      lease: "x",
      job: "x",
      account: "lab",
      user: "u",
      node: "n1",
      gpu: "GPU-1-0",
      model: "H100",
      units: 1,
      state: "running",
      class: "burst",
      fromAt: start,
      toAt: start + 1,
    };
    Object.assign(control.reader, {
      usage: async (...ask: Parameters<typeof usage>) => [...(await usage(...ask)), row],
    });
    const { fleet } = await report();
    assert.deepEqual([fleet?.balanced, fleet?.differenceUnitMs], [false, "-1"]);
  });

  it("[S4] [S10] counts the scrub of a GPU that passes to another tenant, apart from what its holder does", async () => {
    const { control, tenancy, ada, bob, report } = await begin(1);
    await control.must({ kind: "policy.set", policy: { ...control.state.policy, scrubMs: 10_000 } });
    const first = await tenancy.job("lab/vision", ada.id, { gpus: 8 });
    control.setTime(start + 1000);
    await control.run(first);
    await control.finish(first);
    await tenancy.job("mill", bob.id, { gpus: 4 });
    control.setTime(start + 4000);
    const [lease] = [...control.state.leases.keys()];
    await control.report(lease!, { kind: "scrubbed", how: "reset" });
    control.setTime(start + 5000);
    const { fleet, rows } = await report();
    assert.deepEqual([fleet?.scrub, fleet?.balanced], [String(4 * gpu * 3000), true]);
    assert.deepEqual(rows.find(({ key }) => key === "mill")?.byState, {
      scrub: String(4 * gpu * 3000),
      starting: String(4 * gpu * 1000),
    });
  });

  it("[U3] [S10] a confidential tenant is metered whole nodes, as long as it has them", async () => {
    const { control, tenancy, bob, report } = await begin(1);
    const mill = control.state.accountByPath.get("mill")!;
    await control.must({ kind: "account.edit", path: "mill", terms: { ...mill.terms, trust: "confidential" } });
    const job = await tenancy.job("mill", bob.id, { gpus: 3 });
    await control.run(job);
    control.setTime(start + 4000);
    const during = await report();
    assert.deepEqual(during.rows[0]?.byState, { dedicated: String(5 * gpu * 4000), running: String(3 * gpu * 4000) });
    await control.finish(job);
    control.setTime(start + 6000);
    const { fleet, total } = await report();
    assert.deepEqual([total, fleet?.dedicated], [String(8 * gpu * 4000), String(5 * gpu * 4000)]);
    assert.deepEqual([fleet?.idle, fleet?.balanced], [String(8 * gpu * 2000), true]);
  });

  it("is not upset by what is committed between looking at the replica and reading the store", async () => {
    const { control, tenancy, ada } = await begin();
    const job = await tenancy.job("lab/vision", ada.id, { gpus: 4 });
    await control.run(job);
    control.setTime(start + 2000);
    const { seq } = await control.reader.head();
    const open = openStretches(control.state, seq, control.now());
    await control.finish(job);
    await tenancy.job("lab/vision", ada.id, { gpus: 8 });
    const ask: UsageAsk = { by: "gpu", from: start, to: start + 2000, accounts: [""], fleet: true };
    const report = await usageReport(control.reader, open, ask, () => "");
    assert.equal(report.fleet?.balanced, true);
    assert.equal(report.total, String(4 * gpu * 2000));
  });

  it("[S10] balances for any history and any window", async () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 5000 }),
      act: fc.constantFrom(
        "submit",
        "part",
        "scrub",
        "late",
        "trust",
        "run",
        "finish",
        "cancel",
        "drain",
        "up",
        "down",
        "cordon",
        "tick",
      ),
      pick: fc.nat(1000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.tuple(fc.nat(100_000), fc.nat(100_000)),
        async (steps, window) => {
          const { control, tenancy, ada, bob, report } = await begin();
          const nodes = fleetOf(2, 8).map((node) => ({ ...node, pool: "any" as const }));
          await control.must({ kind: "node.register", nodes });
          const policy = { ...control.state.policy, scrubMs: 100, reshapeMs: 100 };
          await control.must({ kind: "policy.set", policy });
          let now = start;
          for (const { wait, act, pick } of steps) {
            now += wait;
            control.setTime(now);
            const jobs = [...control.state.jobs.values()];
            const job: JobId | undefined = jobs[pick % Math.max(1, jobs.length)]?.id;
            const node = `n${(pick % 2) + 1}`;
            const gpus = (pick % 8) + 1;
            if (act === "submit")
              await tenancy.job(pick % 3 ? "lab/vision" : "mill", pick % 3 ? ada.id : bob.id, {
                gpus,
                ...(pick % 5 === 0 && { members: 2 }),
              });
            else if (act === "trust") {
              const mill = control.state.accountByPath.get("mill")!;
              const trust = pick % 2 ? "confidential" : "trusted";
              await control.must({ kind: "account.edit", path: "mill", terms: { ...mill.terms, trust } });
            } else if (act === "part")
              await tenancy.job(pick % 3 ? "lab/vision" : "mill", pick % 3 ? ada.id : bob.id, {
                gpus: pick % 2 ? "1g.10gb" : "3g.40gb",
              });
            else if (act === "scrub" || act === "late") {
              const leases = [...control.state.leases.values()];
              const lease = leases[pick % Math.max(1, leases.length)];
              if (lease === undefined) continue;
              if (act === "scrub") await control.report(lease.id, { kind: "scrubbed", how: "test" }, now - pick);
              else await control.report(lease.id, { kind: "exited", ran: true, code: 0 }, now - 5 * pick);
            } else if (act === "tick") await control.tick();
            else if (act === "drain")
              await control.ask(
                { kind: "node.drain", node, reason: "", ...(pick % 2 && { until: now + 100 }) },
                { actor: { user: "system" }, request: "" },
              );
            else if (act === "cordon" || act === "down")
              await control.ask({ kind: `node.${act}`, node, reason: "" }, { actor: { user: "system" }, request: "" });
            else if (act === "up") await control.must({ kind: "node.up", node });
            else if (job !== undefined && act === "run") await control.run(job);
            else if (job !== undefined && act === "finish") await control.finish(job, pick % 3);
            else if (job !== undefined && act === "cancel") await control.must({ kind: "job.cancel", job });
          }
          control.setTime(now + 1000);
          const [from, to] = window.map((each) => Math.min(start + each, now + 1000)).toSorted((a, b) => a - b) as [
            number,
            number,
          ];
          for (const by of ["account", "user", "job", "gpu", "node"] as const) {
            const { fleet, rows, total } = await report({ by, from, to });
            assert.equal(fleet?.differenceUnitMs, "0");
            assert.equal(String(rows.reduce((sum, row) => sum + BigInt(row.unitMs), 0n)), total);
            const { leased, dedicated, scrub, reshape } = fleet!;
            const sum = [leased, dedicated, scrub, reshape].reduce((all, each) => all + BigInt(each), 0n);
            assert.equal(String(sum), total);
          }
        },
      ),
      { seed: 20_261_115, numRuns: 100 },
    );
  });

  it("shows tenants their own, and the fleet's books only to those who may see all", async () => {
    const { control, tenancy, ada, bob, owner } = await begin();
    await tenancy.job("lab/vision", ada.id, { gpus: 1 });
    await tenancy.job("mill", bob.id, { gpus: 2 });
    control.setTime(start + 60_000);
    const server = await serveApi(control);
    try {
      const mine = (await server.call(ada.token, "GET", "/v1/usage?by=user&from=1h")).json;
      assert.deepEqual(
        mine.rows.map((row: { key: string }) => row.key),
        ["ada"],
      );
      assert.equal(mine.fleet, undefined);
      const all = (await server.call(owner.token, "GET", "/v1/usage")).json;
      assert.equal(all.fleet.balanced, true);
      assert.deepEqual(
        all.rows.map((row: { key: string }) => row.key),
        ["lab/vision", "mill"],
      );
      const cut = (await server.call(owner.token, "GET", "/v1/usage?account=mill")).json;
      assert.deepEqual(
        cut.rows.map((row: { key: string }) => row.key),
        ["mill"],
      );
      assert.equal(cut.fleet.balanced, true);
      for (const [bad, status] of [
        ["?from=yesterday", 400],
        ["?from=1h&to=2h", 422],
        ["?by=moon", 400],
      ] as const) {
        assert.equal((await server.call(owner.token, "GET", `/v1/usage${bad}`)).status, status, bad);
      }
    } finally {
      await server.close();
    }
  });

  it("counts nothing after now", () => {
    const span = reportSpan("1d", "2100-01-01T00:00:00Z", start, plainPolicy);
    assert.deepEqual(span, { from: start - 86_400_000, to: start });
  });

  it("covers no more days, and no more steps of time, than the owner allows", () => {
    const told = (from: string, max: Policy["max"], by?: string) => {
      const span = reportSpan(from, undefined, start, { ...plainPolicy, max }, by);
      return isRefusal(span) ? `${span.field} ${span.value} ${span.detail}` : "";
    };
    assert.match(told("1970-01-01T00:00:00Z", {}), /^from 1970-.* makes a report of \d+ days \(limit 400\)$/);
    assert.equal(told("400d", {}), "");
    assert.equal(told("31d", { reportDays: 30 }), "from 31d makes a report of 31 days (limit 30)");
    assert.equal(told("31d", { reportSteps: 30 }, "day"), "from 31d makes a report of 31 steps of a day (limit 30)");
    assert.equal(told("31d", { reportSteps: 30 }, "account"), "");
  });
});
