import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { type AccountTerms, day, hour, plainTerms, unitsPerGpu } from "@tessera/core";
import type { CostReport, Job, SeriesView } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";

const floor = (gpus: number): AccountTerms => ({
  ...plainTerms,
  quota: { guarantee: { H100: gpus * unitsPerGpu }, weight: 1 },
});
const start = Date.UTC(2026, 9, 1);
/** Prices at which no hour is a whole number of micros. */
const list = {
  ...{ id: "first", from: "2026-10-01T00:00:00Z", currency: "EUR", lenderPerMille: 333 },
  gpus: [{ model: "*", reservedMicros: 1_999_999, burstMicros: 3_000_001 }],
  ...{ cpuMicrosPerCoreHour: 7_777, memoryMicrosPerGiBHour: 333 },
};

/** Four days of two tenants, one of which lends and two teams of which borrow. */
async function days(t: TestContext) {
  const control = await TestControl.start(undefined, []);
  control.setTime(start);
  await control.must({ kind: "node.register", nodes: fleetOf(1, 8) });
  const server = await serveApi(control);
  t.after(() => server.close());
  const tenancy = new Tenancy(control);
  const owner = await tenancy.user("root", "platform-owner", "");
  await server.must(owner, "POST", "/v1/prices", list);
  await tenancy.account("lab", floor(5));
  await tenancy.account("ops", floor(1));
  await tenancy.account("ops/a");
  await tenancy.account("ops/b");
  const job = await tenancy.job("ops/a", owner.id, { gpus: "H100:6", cpus: 3, memory: "10GiB" });
  await control.run(job);
  control.setTime(start + day + 7 * hour + 1234);
  await control.end(job);
  const second = await tenancy.job("ops/b", owner.id, { gpus: "H100:3" });
  await control.run(second);
  control.setTime(start + 3 * day + 5 * hour + 77);
  return { server, tenancy, owner, job };
}

const from = new Date(start).toISOString();

it("spend is what costs by day say, to the micro, however it is split", async (t) => {
  const { server, owner } = await days(t);
  const costs = await server.must<CostReport>(owner, "GET", `/v1/costs?by=day&from=${from}`);
  const dated = costs.rows.filter(({ key }) => key !== "");
  assert.equal(dated.length, 4);
  const all = costs.rows.reduce((sum, { micros }) => sum + BigInt(micros), 0n);
  const byAccount = await server.must<CostReport>(owner, "GET", `/v1/costs?by=account&from=${from}`);
  assert.equal(String(all), byAccount.totalMicros, "days add up to lines that are rounded once");
  for (const by of ["none", "account", "model", "class"]) {
    const view = await server.must<SeriesView>(owner, "GET", `/v1/series?metric=spend&by=${by}&from=${from}`);
    assert.deepEqual([view.unit, view.currency, view.stepMs], ["micros", "EUR", day]);
    const sums = view.times.map((_, at) => view.series.reduce((sum, { values }) => sum + values[at]!, 0));
    assert.deepEqual(
      view.times.map((at, no) => [new Date(at).toISOString().slice(0, 10), String(sums[no])]),
      dated.map(({ key, micros }) => [key, micros]),
      by,
    );
    for (const { values } of view.series) for (const value of values) assert.ok(Number.isInteger(value));
  }
  const kinds = await server.must<SeriesView>(owner, "GET", `/v1/series?metric=spend&by=class&from=${from}`);
  assert.ok(
    kinds.series.some(({ key, values }) => key === "lent" && values.some((value) => value! < 0)),
    "lending is among it",
  );
});

it("spend by account is of the accounts right below those that one may see, and of no others", async (t) => {
  const { server, tenancy, owner } = await days(t);
  const by = async (who: Parameters<typeof server.must>[0]) =>
    (await server.must<SeriesView>(who, "GET", `/v1/series?metric=spend&by=account&from=${from}`)).series
      .map(({ label }) => label)
      .sort();
  assert.deepEqual(await by(owner), ["lab", "ops"]);
  const cleo = await tenancy.user("cleo", "finance", "ops");
  assert.deepEqual(await by(cleo), ["ops itself", "ops/a", "ops/b"]);
  const ask = (path: string) => server.call(cleo.token, "GET", path);
  assert.equal((await ask("/v1/series?metric=spend&by=account&account=lab")).status, 404);
  for (const wrong of ["by=reason", "by=rank", "node=n1"])
    assert.equal((await ask(`/v1/series?metric=spend&${wrong}`)).status, 422, wrong);
  assert.equal((await ask("/v1/series?metric=spend&from=3000d")).status, 403, "as for a report of costs");
});

it("spend of a job adds up to what its page says that it cost, for those that may see it", async (t) => {
  const { server, tenancy, owner, job } = await days(t);
  const { cost } = await server.must<Job>(owner, "GET", `/v1/jobs/${job}`);
  const path = `/v1/series?metric=spend&job=${job}&from=${from}`;
  const view = await server.must<SeriesView>(owner, "GET", path);
  const values = view.series[0]!.values as number[];
  assert.equal(String(values.reduce((sum, value) => sum + value, 0)), cost!.micros);
  assert.ok(values.length > 50 && values.length <= 120);
  const last = values.findLastIndex((value) => value > 0);
  assert.equal(Math.floor((view.times[last]! - start) / day), 1, "nothing after it ended");
  const eve = await tenancy.user("eve", "member", "lab");
  assert.equal((await server.call(eve.token, "GET", path)).status, 404);
  assert.equal((await server.call(owner.token, "GET", `${path}&by=account`)).status, 422);
});
