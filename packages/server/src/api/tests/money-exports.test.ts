import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type AccountTerms, hour, plainTerms, unitsPerGpu } from "@tessera/core";
import type { BillingShape, CostReport, Job, UsageEventPage } from "@tessera/wire";
import { BudgetWatch } from "../../flow/watch/budget-watch.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser, testPrices } from "../../testing/tenancy.ts";

const floor = (gpus: number): AccountTerms => ({
  ...plainTerms,
  quota: { guarantee: { H100: gpus * unitsPerGpu }, weight: 1 },
});
const start = Date.UTC(2026, 10, 2, 18);

describe("billing, exports and metrics over the API", () => {
  let control: TestControl;
  let server: TestServer;
  let tenancy: Tenancy;
  let owner: TestUser;
  let finance: TestUser;
  let first: string;

  before(async () => {
    control = await TestControl.start(undefined, []);
    control.setTime(start);
    await control.must({ kind: "node.register", nodes: fleetOf(1, 8) });
    server = await serveApi(control);
    tenancy = new Tenancy(control);
    await control.must({ kind: "price.add", version: { ...testPrices, lenderPerMille: 500 } });
    await tenancy.account("lab");
    await tenancy.account("lab/vision");
    await tenancy.account("ops", floor(8));
    owner = await tenancy.user("root", "platform-owner", "");
    finance = await tenancy.user("fin", "finance", "lab");
    first = await tenancy.job("lab/vision", owner.id, { name: "borrows", gpus: "H100:4", max_time: "20h" });
    await control.run(first);
    control.setTime(start + 10 * hour);
  });
  after(() => server.close());

  it("shows what a job has cost, what an hour costs and what it comes to at its time limit", async () => {
    const job = await server.must<Job>(owner, "GET", `/v1/jobs/${first}`);
    assert.deepEqual(job.cost, {
      currency: "EUR",
      ...{ micros: "120000000", perHourMicros: "12000000", atEndMicros: "240000000" },
    });
    const [listed] = (await server.must<{ items: Job[] }>(owner, "GET", "/v1/jobs?cost=true")).items;
    assert.deepEqual(listed!.cost, job.cost);
    await control.end(first);
    assert.equal((await server.must<Job>(owner, "GET", `/v1/jobs/${first}`)).cost!.micros, "120000000");
  });

  it("credits who lent in the report of costs, by account, model, class and day, and the whole stays the sum", async () => {
    const lentBy = {
      account: [["ops", "-60000000"]],
      model: [["H100", "-60000000"]],
      class: [["lent", "-60000000"]],
      day: [
        ["2026-11-02", "-36000000"],
        ["2026-11-03", "-24000000"],
      ],
    };
    for (const by of ["account", "model", "class", "day"] as const) {
      const report = await server.must<CostReport>(
        owner,
        "GET",
        `/v1/costs?by=${by}&from=${new Date(start).toISOString()}`,
      );
      const sum = report.rows.reduce((total, { micros }) => total + BigInt(micros), 0n);
      assert.equal(String(sum), report.totalMicros, by);
      // 8 reserved and 4 burst GPUs for ten hours, and half of what the borrower paid goes back to the lender.
      assert.equal(report.totalMicros, String(160_000_000 + 120_000_000 - 60_000_000), by);
      const lent = report.rows.flatMap(({ key, byKind }) => (byKind.lent === undefined ? [] : [[key, byKind.lent]]));
      assert.deepEqual(lent, lentBy[by], by);
    }
  });

  it("streams what was metered as CloudEvents, and goes on from any cursor without a gap", async () => {
    const use = async (account: string) => {
      const job = await tenancy.job(account, owner.id, { name: "short", gpus: "H100:1" });
      await control.run(job);
      control.setTime(control.now() + hour / 4);
      await control.end(job);
    };
    await use("ops");
    await use("ops");
    const all = await server.must<UsageEventPage>(owner, "GET", "/v1/usage/events?limit=1000");
    for (const event of all.items) {
      for (const field of ["id", "source", "specversion", "type"] as const) assert.ok(event[field].length > 0);
      assert.equal(event.specversion, "1.0");
      assert.equal(new Date(event.time).toISOString(), event.time);
      for (const name of Object.keys(event)) assert.match(name, /^[a-z0-9]{1,20}$/, "names of attributes");
    }
    assert.equal(new Set(all.items.map(({ id }) => id)).size, all.items.length);
    assert.ok(all.items.length >= 3 && all.next === undefined);
    const ids: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const from: string = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await server.must<UsageEventPage>(owner, "GET", `/v1/usage/events?limit=1${from}`);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next;
      more = cursor !== undefined;
    }
    assert.deepEqual(
      ids,
      all.items.map(({ id }) => id),
    );
    const last = all.items.at(-1)!;
    const rest = () =>
      server.must<UsageEventPage>(owner, "GET", `/v1/usage/events?cursor=${encodeURIComponent(last.cursor)}`);
    assert.deepEqual((await rest()).items, []);
    await use("ops");
    assert.ok((await rest()).items.every(({ subject }) => subject === "ops"));
    assert.ok((await rest()).items.some(({ data }) => data.state === "running"));
    const own = await server.must<UsageEventPage>(finance, "GET", "/v1/usage/events?limit=1000");
    assert.deepEqual([...new Set(own.items.map(({ subject }) => subject))], ["lab/vision"], "[S23]");
    const told = await server.call(owner.token, "GET", "/v1/usage/events?cursor=made-up");
    assert.equal(told.status, 404);
  });

  it("shows each caller of /metrics the costs that it may read, and nobody else's", async () => {
    await server.must(finance, "PUT", "/v1/accounts/lab%2Fvision/budget", { limitMicros: "500000000" });
    control.setTime(control.now() + 2 * hour);
    const metrics = async (token: string) => (await server.call(token, "GET", "/metrics")).text;
    const all = await metrics(owner.token);
    assert.match(all, /^tessera_account_cost\{account="ops",currency="EUR",kind="reserved"\} \d+$/m);
    assert.match(all, /^tessera_account_cost\{account="lab\/vision",currency="EUR",kind="burst"\} 120$/m);
    assert.match(all, /^tessera_budget_spent\{account="lab\/vision",currency="EUR"\} 120$/m);
    const own = await metrics(finance.token);
    assert.match(own, /account="lab\/vision"/);
    assert.doesNotMatch(own, /account="ops"/);
    const scraper = await tenancy.token(owner.id, ["metrics.read"]);
    assert.doesNotMatch(await metrics(scraper.token), /tessera_account_cost/);
    const accountant = await tenancy.token(owner.id, ["metrics.read", "cost.read"]);
    assert.match(await metrics(accountant.token), /tessera_account_cost/);
  });

  it("stops what a tenant borrows when its credit is used up, and lets it start again when it has paid", async () => {
    const shown = await server.must<BillingShape>(owner, "PUT", "/v1/accounts/lab/billing", {
      ...{ mode: "chargeback", creditLimitMicros: "130000000" },
    });
    assert.deepEqual(
      [shown.owedMicros, shown.openMicros, shown.leftMicros, shown.stopped],
      ["0", "120000000", "10000000", false],
    );
    const job = await tenancy.job("lab/vision", owner.id, { name: "more", gpus: "H100:1" });
    await control.run(job);
    const watch = new BudgetWatch(control, { now: () => control.now(), at: () => () => {} });
    await watch.look();
    assert.equal(control.state.leases.size, 1);
    control.setTime(control.now() + 4 * hour);
    await watch.look();
    const [lease] = [...control.state.leases.values()];
    assert.equal(lease!.state, "stopping");
    await control.report(lease!.id, { kind: "exited", ran: true, signal: "SIGTERM" });
    const { reason } = await server.must<Job>(owner, "GET", `/v1/jobs/${job}`);
    assert.deepEqual(
      [reason!.kind, reason!.detail],
      ["budget", "The credit of lab is used up. Only work inside its guarantee may start."],
    );
    assert.equal(
      (await server.call(finance.token, "PUT", "/v1/accounts/lab/billing", { mode: "showback" })).status,
      403,
    );
    await server.must(owner, "POST", "/v1/ledger", {
      account: "lab",
      kind: "payment",
      micros: "50000000",
      memo: "bank",
    });
    await watch.look();
    assert.equal(control.state.leases.size, 1, "it runs again");
    const [billing] = (await server.must<{ items: BillingShape[] }>(finance, "GET", "/v1/billing")).items;
    assert.deepEqual([billing!.tenant, billing!.owedMicros, billing!.stopped], ["lab", "-50000000", false]);
  });

  it("[S13] sets prepaid credit aside, posts and voids it, and never beyond the limit", async () => {
    const post = async (body: object) =>
      (await server.call(owner.token, "POST", "/v1/ledger", { account: "lab", memo: "prepaid", ...body })).json;
    const billing = async () =>
      (await server.must<{ items: BillingShape[] }>(owner, "GET", "/v1/billing?account=lab")).items[0]!;
    await server.must(owner, "PUT", "/v1/accounts/lab/billing", { mode: "chargeback", creditLimitMicros: "0" });
    assert.equal((await post({ kind: "hold", micros: "50000001" })).code, "not-allowed");
    const held = await post({ kind: "hold", micros: "30000000" });
    assert.deepEqual([(await billing()).owedMicros, (await billing()).heldMicros], ["-20000000", "30000000"]);
    await post({ kind: "post", micros: "10000000", of: held.no });
    assert.deepEqual([(await billing()).owedMicros, (await billing()).heldMicros], ["-40000000", "0"]);
    const other = await post({ kind: "hold", micros: "5000000" });
    await post({ kind: "void", micros: "0", of: other.no });
    assert.deepEqual([(await billing()).owedMicros, (await billing()).heldMicros], ["-40000000", "0"]);
  });

  it("owes nothing where costs are only shown", async () => {
    const shown = await server.must<BillingShape>(owner, "PUT", "/v1/accounts/lab/billing", {
      ...{ mode: "showback", creditLimitMicros: null },
    });
    assert.deepEqual([shown.mode, shown.openMicros, shown.creditLimitMicros], ["showback", "0", undefined]);
    const [draft] = (await server.must<{ items: { mode: string }[] }>(owner, "GET", "/v1/invoices?account=lab")).items;
    assert.equal(draft!.mode, "showback");
  });
});
