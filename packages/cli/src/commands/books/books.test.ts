import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { BudgetShape, CostReport, EntryShape, InvoiceSummary, LineShape } from "@tessera/wire";
import { moneyText } from "@tessera/wire/money";
import { Failure } from "../../failure.ts";
import { parseMoney } from "../../output/money.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";

test("money is shown with the digits of its currency, and more where they would hide all of it", () => {
  assert.deepEqual(
    [
      moneyText("1234567890", "EUR"),
      moneyText("-1500000", "USD"),
      moneyText("1999", "EUR"),
      moneyText("0", "EUR"),
      moneyText("1500000", "JPY"),
      moneyText("999999999999999999999", "EUR"),
    ],
    ["1,234.57 EUR", "-1.50 USD", "0.001999 EUR", "0.00 EUR", "2 JPY", "1,000,000,000,000,000.00 EUR"],
  );
});

test("an amount is read exactly or not at all", () => {
  assert.deepEqual([parseMoney("1,200.50", "--limit"), parseMoney("-0.000001", "--limit")], ["1200500000", "-1"]);
  for (const text of ["", "12.1234567", "1e3", "twelve", "0x10"]) {
    assert.throws(() => parseMoney(text, "--limit"), /--limit must be an amount/);
  }
  assert.deepEqual(
    [parseMoney("90,000", "--limit"), parseMoney("-1,234,567", "--limit")],
    ["90000000000", "-1234567000000"],
  );
});

test("an amount that could be meant in two ways is refused, with both of them", () => {
  const hintFor = (text: string) => {
    try {
      parseMoney(text, "--limit");
    } catch (error) {
      return error instanceof Failure ? `${error.message} ${error.hint}` : String(error);
    }
    return "taken";
  };
  assert.match(hintFor("12,5"), /--limit must be an amount, got "12,5".* type 125 or 12\.5$/);
  assert.match(hintFor("41.472,22"), /got "41\.472,22".* type 41472\.22$/);
  assert.match(hintFor("-0,125"), /type -0\.125$/);
  for (const text of ["1,23,456", "1,2345", ",5", "5,", "1,,000", "1,000,00"])
    assert.match(hintFor(text), /commas stand between groups of three digits/, text);
});

const report: CostReport = {
  from: "2026-11-01T00:00:00.000Z",
  to: "2026-11-15T00:00:00.000Z",
  by: "account",
  currency: "EUR",
  rows: [
    { key: "lab", micros: "30000000", beforeMicros: "20000000", byKind: { burst: "30000000" }, gpuHours: "12.5" },
    { key: "studio", micros: "10000000", beforeMicros: "0", byKind: { reserved: "10000000" }, gpuHours: "4" },
  ],
  totalMicros: "40000000",
  beforeMicros: "20000000",
  forecastMicros: "80000000",
};

test("cost hands its question on and draws bars, changes and where the month ends", async (t) => {
  const server = await StandIn.start(t);
  server.on("readCosts", () => report);
  const { code, out } = await runTess(["cost", "--by", "account", "--compare", "--account", "lab"], {
    env: server.env,
  });
  assert.equal(code, 0);
  assert.deepEqual(server.requestsTo("readCosts")[0]!.query, { by: "account", account: "lab", compare: true });
  assert.match(out, /lab +30\.00 EUR +20\.00 EUR +\+50 % +12\.5 +█{24}/);
  assert.match(out, /studio +10\.00 EUR +0\.00 EUR +new +4 +█{8}░{16}/);
  assert.match(out, /Total 40\.00 EUR, before it 20\.00 EUR; at this rate the month ends at 80\.00 EUR/);
});

const [from, to] = ["2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"];
const budget: BudgetShape = {
  account: "lab",
  currency: "EUR",
  limitMicros: "1200500000",
  every: "month",
  alertsPerMille: [500, 800],
  stop: "stop-burst",
  from,
  to,
  spentMicros: "0",
  forecastMicros: "0",
  stopped: "none",
  revision: "r1",
};
const summary: InvoiceSummary = {
  number: "INV-000007",
  tenant: "lab",
  period: "2026-10",
  from,
  to,
  tz: "UTC",
  currency: "EUR",
  mode: "chargeback",
  status: "issued",
  totalMicros: "6",
};
const line: LineShape = {
  line: 3,
  kind: "burst",
  account: "lab",
  model: "H100",
  profile: "",
  isolation: "",
  topology: "",
  version: "list-1",
  perMille: 1000,
  quantity: "2",
  unit: "gpu-hour",
  hours: "0",
  unitPriceMicros: "3/1",
  micros: "6",
};
const entry: EntryShape = { no: 5, kind: "payment", at: from, currency: "EUR", legs: [], memo: "m" };

test("a budget is set in whole micros and percents", async (t) => {
  const server = await StandIn.start(t);
  server.on("setBudget", () => budget);
  server.on("listBudgets", () => ({ items: [budget] }));
  const args = ["budget", "set", "lab", "--limit", "1200.50", "--alerts", "50,80%", "--stop", "stop-burst"];
  assert.equal((await runTess(args, { env: server.env })).code, 0);
  const [request] = server.requestsTo("setBudget");
  assert.deepEqual(request!.body, { limitMicros: "1200500000", alertsPerMille: [500, 800], stop: "stop-burst" });
  assert.equal(request!.headers["if-match"], "r1"); // a concurrent change is not lost
  await runTess(["budget", "set", "lab", "--limit", "1", "--alerts", "none"], { env: server.env });
  assert.deepEqual(server.requestsTo("setBudget")[1]!.body, { limitMicros: "1000000", alertsPerMille: [] });
  const bad = await runTess(["budget", "set", "lab", "--limit", "1", "--alerts", "150"], { env: server.env });
  assert.deepEqual([bad.code, /--alerts must be percents, got "150"/.test(bad.err)], [2, true]);
});

test("a budget that was passed says by how much", async (t) => {
  const server = await StandIn.start(t);
  const passed = { ...budget, spentMicros: "1201000000", overMicros: "500000", stopped: "stop-burst" as const };
  server.on("listBudgets", () => ({ items: [passed] }));
  server.on("setBudget", () => passed);
  assert.match((await runTess(["budget", "get"], { env: server.env })).out, /stop-burst, over by 0\.50 EUR/);
  const set = await runTess(["budget", "set", "lab", "--limit", "1200.50"], { env: server.env });
  assert.match(set.out, /has spent 1,201\.00 EUR, over by 0\.50 EUR; then: stop-burst/);
});

test("an invoice is found by its number, and a draft by its tenant", async (t) => {
  const server = await StandIn.start(t);
  server.on("listInvoices", () => ({ items: [summary] }));
  const explanation = {
    invoice: "INV-000007",
    currency: "EUR",
    line,
    arithmetic: "2 x 3 = 6",
    hours: [],
    stretches: [],
  };
  server.on("explainLine", () => explanation);
  const { code, out } = await runTess(["invoice", "explain", "INV-000007/3"], { env: server.env });
  assert.deepEqual(
    [code, /INV-000007\/3 burst of lab\n.* gpu-hours x .* EUR = .* EUR\n2 x 3 = 6/.test(out)],
    [0, true],
  );
  await runTess(["invoice", "explain", "draft:studio/1"], { env: server.env });
  assert.deepEqual(
    server.requestsTo("explainLine").map(({ at }) => at),
    [
      { account: "lab", period: "2026-10", line: "3" },
      { account: "studio", period: "open", line: "1" },
    ],
  );
  assert.equal((await runTess(["invoice", "show", "INV-000008"], { env: server.env })).code, 66);
  assert.equal((await runTess(["invoice", "explain", "INV-000007"], { env: server.env })).code, 2);
});

test("an entry needs an amount unless it gives a hold back", async (t) => {
  const server = await StandIn.start(t);
  server.on("postEntry", () => entry);
  const post = (...args: string[]) => runTess(["ledger", "post", "lab", "--memo", "m", ...args], { env: server.env });
  assert.equal((await post("--kind", "payment", "--amount", "50")).code, 0);
  assert.equal((await post("--kind", "void", "--of", "4")).code, 0);
  assert.equal((await post("--kind", "hold")).code, 2);
  assert.deepEqual(
    server.requestsTo("postEntry").map(({ body }) => body),
    [
      { account: "lab", kind: "payment", micros: "50000000", memo: "m" },
      { account: "lab", kind: "void", micros: "0", memo: "m", of: 4 },
    ],
  );
});

test("the ledger can be cut to what is set aside now", async (t) => {
  const server = await StandIn.start(t);
  server.on("listEntries", () => ({ items: [entry], balances: {} }));
  assert.equal((await runTess(["ledger", "get", "lab", "--open"], { env: server.env })).code, 0);
  const { account, open } = server.requestsTo("listEntries")[0]!.query;
  assert.deepEqual([account, open], ["lab", true]);
});

test("contracts, budgets, billing and prices replace what was read, or are only made", async (t) => {
  const server = await StandIn.start(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "contract.yaml"), "from: 2030-01-01\nto: 2031-01-01\nperMille: 900\n");
  const rate = "{ model: H100, reservedMicros: 1, burstMicros: 1 }";
  writeFileSync(join(folder, "prices.yaml"), `id: list-2\nfrom: 2030-01-01\ncurrency: EUR\ngpus: [${rate}]\n`);
  const contract = { tenant: "lab", from, to, gpus: [], perMille: 800, revision: "r7" };
  const book = { versions: [], contracts: [contract], revision: "p3" };
  for (const route of ["readPrices", "setContract"] as const) server.on(route, () => book);
  server.on("listBudgets", () => ({ items: [] }));
  server.on("setBudget", () => budget);
  for (const account of ["lab", "studio"])
    assert.equal(
      (await runTess(["price", "contract", account, "contract.yaml"], { env: server.env, cwd: folder })).code,
      0,
    );
  assert.equal((await runTess(["budget", "set", "lab", "--limit", "5"], { env: server.env })).code, 0);
  const tenant = { tenant: "lab", currency: "EUR", mode: "chargeback", stopped: false, revision: "b2" } as const;
  const billing = { ...tenant, owedMicros: "0", heldMicros: "0", openMicros: "0" };
  server.on("listBilling", () => ({ items: [billing] }));
  server.on("setBilling", () => billing);
  server.on("addPrices", () => book);
  assert.equal((await runTess(["billing", "set", "lab", "--credit-limit", "5"], { env: server.env })).code, 0);
  assert.equal((await runTess(["price", "add", "prices.yaml"], { env: server.env, cwd: folder })).code, 0);
  const routes = ["setContract", "setBudget", "setBilling", "addPrices"] as const;
  const asked = routes.flatMap((route) => server.requestsTo(route));
  const known = asked.map(({ headers }) => [headers["if-match"], headers["if-none-match"]]);
  assert.deepEqual(known, [
    ["r7", undefined],
    [undefined, "*"],
    [undefined, "*"],
    ["b2", undefined],
    ["p3", undefined],
  ]);
});

test("a changed entry of an extract is named, without asking anybody", async (t) => {
  const folder = temporaryFolder(t);
  const extract = { invoice: "INV-000007", entries: ['{"a":1}'], leaves: ["00".repeat(32)], proof: {}, head: "" };
  writeFileSync(join(folder, "invoice.json"), JSON.stringify({ text: "{}" }));
  writeFileSync(join(folder, "extract.json"), JSON.stringify(extract));
  const verify = (...flags: string[]) => runTess(["invoice", "verify", "INV-000007", ...flags], { cwd: folder });
  const { code, out } = await verify("--invoice", "invoice.json", "--extract", "extract.json", "--head", "00");
  assert.deepEqual([code, /NOT SOUND: INV-000007: entry 1 is not what was hashed/.test(out)], [1, true]);
  assert.equal((await verify("--head", "00")).code, 2);
});

test("a month without anything to bill says so, and an estimate needs no file", async (t) => {
  const server = await StandIn.start(t);
  server.on("closePeriod", () => ({ period: "2026-10", invoices: [] }));
  const closed = await runTess(["invoice", "close", "2026-10"], { env: server.env });
  assert.match(closed.out, /2026-10 is closed\. There was nothing to bill/);
  server.on("estimateJob", () => ({
    currency: "USD",
    class: "burst" as const,
    gpus: 8,
    model: "H100",
    perHourMicros: "8000000",
    text: "8 H100",
  }));
  const { code, out, err } = await runTess(["estimate", "--gpus", "H100:8", "--max-time", "2h"], { env: server.env });
  assert.equal(code, 0, err);
  assert.match(out, /8\.00 USD an hour|USD 8\.00 an hour|\$8\.00 an hour/);
  assert.deepEqual(server.requestsTo("estimateJob")[0]?.body, { gpus: "H100:8", max_time: "2h", run: "true" });
  assert.match((await runTess(["estimate"], { env: server.env })).err, /tess estimate --gpus H100:8/);
});
