import assert from "node:assert/strict";
import { it } from "node:test";
import { day, hour } from "@tessera/core";
import { type ExtractShape, type InvoiceShape, verifyInvoice } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestUser } from "../../testing/tenancy.ts";

it("who is given the path of a deleted account sees nothing of its past", async () => {
  const start = 1_800_000_000_000;
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  control.setTime(start);
  const tenancy = new Tenancy(control);
  await tenancy.prices();
  await tenancy.account("lab");
  await tenancy.account("lab/x");
  const ada = await tenancy.user("ada", "tenant-admin", "lab");
  const server = await serveApi(control);
  try {
    const job = await tenancy.job("lab/x", ada.id, { gpus: 2, name: "old" });
    await control.run(job);
    control.setTime(start + 1000);
    await control.finish(job);
    control.setTime(start + 2000);
    await control.must({ kind: "account.delete", path: "lab/x" });
    control.setTime(start + 3000);
    await tenancy.account("lab/x");
    const bob = await tenancy.user("bob", "tenant-admin", "lab/x");
    control.setTime(start + 4000);
    const read = async (token: string, path: string) => (await server.call(token, "GET", path)).json;
    const jobsOf = async (token: string) =>
      (await read(token, "/v1/jobs?state=all")).items.map(({ name }: { name: string }) => name);
    assert.deepEqual([await jobsOf(ada.token), await jobsOf(bob.token)], [["old"], []]);
    assert.equal((await server.call(bob.token, "GET", `/v1/jobs/${job}`)).status, 404);
    assert.equal((await server.call(bob.token, "GET", "/v1/jobs/old")).status, 404);
    const [above, mine] = [await read(ada.token, "/v1/usage?from=1h"), await read(bob.token, "/v1/usage?from=1h")];
    assert.deepEqual([above.total, mine.total], [String(2 * 21_000 * 1000), "0"]);
    const lines = async (token: string) =>
      (await read(token, "/v1/accounts/lab%2Fx/invoices/open")).lines.map(({ micros }: { micros: string }) => micros);
    assert.deepEqual([await lines(ada.token), await lines(bob.token)], [["1667"], []]);
    const actions = (await read(bob.token, "/v1/audit")).items.map(({ at }: { at: string }) => Date.parse(at));
    assert.ok(actions.every((at: number) => at >= start + 3000));
  } finally {
    await server.close();
  }
});

/** What a caller sees of money: amounts in whole EUR, by what they stand under. */
interface Sight {
  readonly [question: string]: unknown;
}

const [christmas, january, february] = [Date.UTC(2029, 11, 20), Date.UTC(2030, 0, 10), Date.UTC(2030, 1, 2)];
const eur = (micros: string | number | bigint) => Number(micros) / 1e6;

it("who is given the name of a deleted tenant sees nothing of its money, and the owner sees all of it", async () => {
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  control.setTime(christmas);
  const tenancy = new Tenancy(control);
  await tenancy.prices();
  const owner = await tenancy.user("owner", "platform-owner");
  const server = await serveApi(control);
  const at = (then: number) => control.setTime(Math.max(then, control.now()));
  /** One job of so many GPUs for five hours. */
  const use = async (user: TestUser, name: string, gpus: number) => {
    const job = await tenancy.job("acme", user.id, { gpus: `H100:${gpus}`, name });
    await control.run(job);
    at(control.now() + 5 * hour);
    await control.end(job);
  };
  // biome-ignore lint/suspicious/noExplicitAny: it looks into answers of every shape
  const read = (user: TestUser, path: string) => server.must<any>(user, "GET", path);
  const post = (entry: "payment" | "hold", micros: string) =>
    control.must({ kind: "ledger.post", tenant: "acme", entry, currency: "EUR", micros, memo: "bank transfer" });
  const close = (period: string) => server.must(owner, "POST", "/v1/periods/close", { period });
  const costsBy = async (user: TestUser, by: string) => {
    const { rows, totalMicros } = await read(user, `/v1/costs?from=60d&by=${by}`);
    const named = rows.map((row: { key: string; name?: string; micros: string }) => [
      row.name ?? row.key,
      eur(row.micros),
    ]);
    assert.equal(
      rows.reduce((sum: number, row: { micros: string }) => sum + eur(row.micros), 0),
      eur(totalMicros),
    );
    return Object.fromEntries(named);
  };
  const spendBy = async (user: TestUser, by: string) => {
    const { series } = await read(user, `/v1/series?metric=spend&from=60d&by=${by}`);
    const sum = (values: number[]) => eur(values.reduce((all, value) => all + value, 0));
    return Object.fromEntries(
      series.map(({ label, values }: { label: string; values: number[] }) => [label, sum(values)]),
    );
  };
  const invoices = async (user: TestUser) =>
    (await read(user, "/v1/invoices")).items.map((each: { number: string; period: string; totalMicros: string }) => [
      each.number,
      each.period,
      eur(each.totalMicros),
    ]);
  const metrics = async (user: TestUser) => {
    const { text } = await server.call(user.token, "GET", "/metrics");
    return /^tessera_account_cost\{account="acme".*\} (.*)$/m.exec(text)?.[1];
  };
  const sightOf = async (user: TestUser): Promise<Sight> => ({
    account: await costsBy(user, "account"),
    user: await costsBy(user, "user"),
    job: await costsBy(user, "job"),
    days: Object.keys(await costsBy(user, "day")),
    spend: await spendBy(user, "none"),
    spendByModel: await spendBy(user, "model"),
    spendByAccount: await spendBy(user, "account"),
    invoices: await invoices(user),
    metrics: await metrics(user),
  });
  try {
    await tenancy.account("acme");
    const ada = await tenancy.user("ada", "member", "acme");
    await use(ada, "december", 4);
    at(january);
    await close("2029-12");
    await post("payment", "10000000");
    await post("hold", "5000000");
    await tenancy.budget("acme");
    const contract = { tenant: "acme", fromAt: january, toAt: february + 900 * day, gpus: [], perMille: 1_000 };
    await control.must({ kind: "contract.set", contract });
    await use(ada, "january", 4);
    at(january + 2 * day);
    await control.must({ kind: "account.delete", path: "acme" });
    at(january + 3 * day);
    await tenancy.account("acme");
    const eve = await tenancy.user("eve", "tenant-admin", "acme");
    const nothing = {
      ...{ account: {}, user: {}, job: {}, days: [], spend: {}, spendByModel: {}, spendByAccount: {} },
      invoices: [["", "2030-01", 0]],
      metrics: undefined,
    };
    assert.deepEqual(await sightOf(eve), nothing);
    await tenancy.budget("acme");
    await use(eve, "new", 2);
    at(january + 4 * day);

    assert.deepEqual(await sightOf(eve), {
      ...{ account: { acme: 30 }, user: { [eve.id]: 30 }, job: { new: 30 }, days: ["2030-01-13"] },
      ...{ spend: { all: 30 }, spendByModel: { H100: 30 }, spendByAccount: { acme: 30 } },
      invoices: [["", "2030-01", 30]],
      metrics: "30",
    });
    assert.deepEqual(await sightOf(owner), {
      ...{ account: { acme: 150 }, user: { [ada.id]: 120, [eve.id]: 30 }, job: { december: 60, january: 60, new: 30 } },
      days: ["2029-12-20", "2030-01-10", "2030-01-13"],
      ...{ spend: { all: 150 }, spendByModel: { H100: 150 }, spendByAccount: { acme: 150 } },
      invoices: [
        ["", "2030-01~1", 60],
        ["", "2030-01", 30],
        ["INV-acme-000001", "2029-12", 60],
      ],
      metrics: "90",
    });
    const budget = async (user: TestUser) => eur((await read(user, "/v1/budgets")).items[0].spentMicros);
    assert.deepEqual([await budget(eve), await budget(owner)], [30, 30]);
    const credit = async (user: TestUser) => {
      const [{ owedMicros, heldMicros, openMicros }] = (await read(user, "/v1/billing")).items;
      return [owedMicros, heldMicros, openMicros].map(eur);
    };
    assert.deepEqual(
      [await credit(eve), await credit(owner)],
      [
        [0, 0, 30],
        [0, 0, 30],
      ],
    );
    const gpuHours = async (user: TestUser) => {
      const { total } = await read(user, "/v1/waste?from=60d");
      return total;
    };
    assert.notDeepEqual(await gpuHours(eve), await gpuHours(owner));
    assert.deepEqual((await read(eve, "/v1/prices")).contracts, []);
    assert.equal((await read(owner, "/v1/prices")).contracts.length, 1);
    assert.deepEqual((await read(eve, "/v1/invoices?number=INV-acme-000001")).items, []);
    assert.deepEqual(await ledger(eve), { entries: 0, balances: {} });

    // January is closed for each of the two, and each owes what it used.
    at(february);
    await close("2030-01");
    assert.deepEqual(await invoices(eve), [
      ["", "2030-02", 0],
      ["INV-acme-000003", "2030-01", 30],
    ]);
    assert.deepEqual((await invoices(owner)).slice(1), [
      ["INV-acme-000003", "2030-01", 30],
      ["INV-acme-000002", "2030-01~1", 60],
      ["INV-acme-000001", "2029-12", 60],
    ]);
    assert.deepEqual(await close("2030-01"), { period: "2030-01", invoices: [] }, "once each");
    assert.deepEqual(await ledger(eve), { entries: 1, balances: { "EUR tenant/acme/owed": 30 } });
    const { balances } = await ledger(owner);
    assert.deepEqual([balances["EUR tenant/acme/owed"], balances["EUR tenant/acme~1/owed"]], [30, 110]);
    assert.equal(
      Object.values(balances).reduce((sum, each) => sum + each, 0),
      0,
      "[S13] the books balance",
    );

    // An invoice is its own tenant's, with what it follows from.
    for (const period of ["2029-12", "2030-01~1"]) {
      assert.equal((await server.call(eve.token, "GET", `/v1/accounts/acme/invoices/${period}`)).status, 404, period);
      const former = await read(owner, `/v1/accounts/acme/invoices/${period}`);
      assert.equal(eur(former.totalMicros), 60, period);
    }
    for (const [user, period, hidden] of [
      [eve, "2030-01", ada],
      [owner, "2030-01~1", eve],
    ] as const) {
      const invoice: InvoiceShape = await read(user, `/v1/accounts/acme/invoices/${period}`);
      const extract: ExtractShape = await read(user, `/v1/accounts/acme/invoices/${period}/extract`);
      assert.doesNotMatch(extract.entries.join(), new RegExp(hidden.id));
      assert.equal(extract.entries.filter((entry) => entry.includes('"is":"floors"')).length, user === eve ? 1 : 2);
      const { number, text } = invoice;
      const verdict = await verifyInvoice({ number, text, extract, head: extract.head, key: extract.publicKey });
      assert.equal(verdict.sound, true, JSON.stringify(verdict));
    }
    const told = JSON.stringify([
      await read(eve, "/v1/events?limit=500"),
      await read(eve, "/v1/audit?limit=500"),
      await read(eve, "/v1/search?q=INV-acme"),
    ]);
    assert.match(told, /INV-acme-000003/);
    assert.doesNotMatch(told, /INV-acme-00000[12]|60000000|2030-01~1/);
    assert.match(JSON.stringify(await read(owner, "/v1/audit?limit=500")), /2030-01~1/);
  } finally {
    await server.close();
  }

  async function ledger(user: TestUser): Promise<{ entries: number; balances: Record<string, number> }> {
    const { items, balances } = await read(user, "/v1/ledger");
    const amounts = Object.entries<string>(balances).map(([book, micros]) => [book, eur(micros)]);
    return { entries: items.length, balances: Object.fromEntries(amounts) };
  }
});
