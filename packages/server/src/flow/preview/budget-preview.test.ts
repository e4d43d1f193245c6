import assert from "node:assert/strict";
import { it } from "node:test";
import { hour, plainTerms, unitsPerGpu } from "@tessera/core";
import type { BillingShape, BudgetPreview, BudgetShape, PriceBookShape } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";

const first = Date.UTC(2026, 9, 1);

it("says where a budget would stand and what it would stop, and changes nothing", async (t) => {
  const control = await TestControl.start(undefined, []);
  control.setTime(first);
  await control.must({ kind: "node.register", nodes: fleetOf(2, 8) });
  const tenancy = new Tenancy(control);
  await tenancy.prices();
  await tenancy.account("lab", { ...plainTerms, quota: { guarantee: { H100: 4 * unitsPerGpu }, weight: 1 } });
  await tenancy.account("lab/vision");
  const finance = await tenancy.user("fin", "finance", "lab");
  const admin = await tenancy.user("adm", "tenant-admin", "lab");
  const covered = await tenancy.job("lab", admin.id, { gpus: "H100:4", name: "covered" });
  const burst = await tenancy.job("lab/vision", admin.id, { gpus: "H100:2", name: "beyond" });
  for (const job of [covered, burst]) await control.run(job);
  // In the second month, so that what was spent in all is more than what was spent in this month.
  control.setTime(Date.UTC(2026, 10, 1) + 10 * hour);
  const server = await serveApi(control);
  t.after(() => server.close());
  const path = "/v1/accounts/lab/budget";
  const preview = (who: { token: string }, body: object) =>
    server.must<BudgetPreview>({ ...admin, token: who.token }, "POST", `${path}/preview`, body);

  const month = await preview(finance, { limitMicros: "1", every: "month", stop: "stop-burst" });
  const once = await preview(finance, { limitMicros: "1", every: "once", stop: "stop-burst" });
  assert.ok(BigInt(once.spentMicros) > 10n * BigInt(month.spentMicros), `${once.spentMicros} ${month.spentMicros}`);
  assert.ok(once.from < month.from, "since the first price list");
  for (const every of ["month", "once"] as const) {
    const limitMicros = "900000000000";
    const seen = await preview(admin, { limitMicros, every });
    const set = await server.must<BudgetShape>(admin, "PUT", path, { limitMicros, every });
    assert.deepEqual([seen.spentMicros, seen.from, seen.to], [set.spentMicros, set.from, set.to]);
    assert.deepEqual([seen.passedPerMille, seen.stops.jobs], [0, 0]);
  }

  assert.deepEqual([month.passedPerMille, month.stops.jobs, month.stops.gpus], [1000, 1, 2]);
  assert.deepEqual(month.stops.named, [], "finance may not read jobs: they are counted, not named");
  const all = await preview(admin, { limitMicros: "1", stop: "stop-all" });
  assert.deepEqual(all.stops.named.map(({ name }) => name).sort(), ["beyond", "covered"]);
  assert.equal((await preview(admin, { limitMicros: "1", stop: "refuse-new" })).stops.jobs, 0);
  const before = await control.reader.head();
  await preview(admin, { limitMicros: "1", stop: "stop-all" });
  assert.deepEqual(await control.reader.head(), before);
  const bad = await server.call(finance.token, "POST", `${path}/preview`, { limitMicros: "0" });
  assert.equal(bad.status, 400);
});

it("sets a budget, a contract, billing or prices only where nothing has changed since they were read", async (t) => {
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  const tenancy = new Tenancy(control);
  await tenancy.prices();
  await tenancy.account("lab");
  const owner = await tenancy.user("own", "platform-owner");
  const server = await serveApi(control);
  t.after(() => server.close());
  const put = (what: string, body: object, headers: Record<string, string>) =>
    server.call(owner.token, "PUT", `/v1/accounts/lab/${what}`, body, headers);
  const onlyNew = { "if-none-match": "*" };

  const budget = { limitMicros: "1000000" };
  const made = await put("budget", budget, onlyNew);
  assert.equal(made.status, 200);
  const again = await put("budget", budget, onlyNew);
  assert.deepEqual([again.status, again.json.code], [412, "stale"]);
  assert.match(again.json.detail, /was made by another request/);
  const seen = made.json.revision as string;
  assert.equal((await put("budget", { limitMicros: "2000000" }, { "if-match": `"${seen}"` })).status, 200);
  assert.equal((await put("budget", budget, { "if-match": `"${seen}"` })).status, 412);
  assert.equal((await put("budget", budget, { "if-none-match": '"x"' })).status, 400);

  const contract = { from: "2030-01-01", to: "2031-01-01", perMille: 900 };
  const agreed = await put("contract", contract, onlyNew);
  assert.equal(agreed.status, 200);
  assert.equal((await put("contract", contract, onlyNew)).status, 412);
  const { revision } = (agreed.json as PriceBookShape).contracts[0]!;
  assert.equal((await put("contract", { ...contract, perMille: 800 }, { "if-match": `"${revision}"` })).status, 200);
  const stale = await put("contract", contract, { "if-match": `"${revision}"` });
  assert.match(stale.json.detail, /was changed by another request since you read it/);

  const { items } = await server.must<{ items: BillingShape[] }>(owner, "GET", "/v1/billing");
  const billed = { "if-match": `"${items[0]!.revision}"` };
  assert.equal((await put("billing", { mode: "showback", creditLimitMicros: "5" }, billed)).status, 200);
  const second = await put("billing", { mode: "chargeback" }, billed);
  assert.deepEqual([second.status, second.json.code], [412, "stale"]);

  const listed = await server.must<PriceBookShape>(owner, "GET", "/v1/prices");
  const known = { "if-match": `"${listed.revision}"` };
  const gpus = [{ model: "*", reservedMicros: 1, burstMicros: 1 }];
  const add = (id: string, from: string, headers: Record<string, string>) =>
    server.call(owner.token, "POST", "/v1/prices", { id, currency: "EUR", from, gpus }, headers);
  const added = await add("l2", "2030-01-01", known);
  assert.equal(added.status, 201);
  assert.equal((await add("l3", "2031-01-01", known)).status, 412);
  assert.equal((await add("l3", "2031-01-01", { "if-match": `"${added.json.revision}"` })).status, 201);
});
