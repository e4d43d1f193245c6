import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { type AccountTerms, hour, plainTerms, unitsPerGpu } from "@tessera/core";
import type { CostReport, InvoiceShape, InvoiceSummary, LedgerPage, PricePreview } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";

const floor = (gpus: number): AccountTerms => ({
  ...plainTerms,
  quota: { guarantee: { H100: gpus * unitsPerGpu }, weight: 1 },
});
const start = Date.UTC(2026, 9, 1);
const list = {
  ...{ id: "first", from: "2026-10-01T00:00:00Z", currency: "EUR", lenderPerMille: 400, lostWorkPerMille: 1000 },
  gpus: [{ model: "*", reservedMicros: 2_000_000, burstMicros: 3_000_001 }],
  ...{ cpuMicrosPerCoreHour: 7_777, memoryMicrosPerGiBHour: 333 },
};

/** A month of two tenants under a price list with this idle policy, lived through over the API. */
async function month(t: TestContext, policy: "absorb" | "by-quota" | "by-use") {
  const control = await TestControl.start(undefined, []);
  control.setTime(start);
  await control.must({ kind: "node.register", nodes: fleetOf(1, 8) });
  const server = await serveApi(control);
  t.after(() => server.close());
  const tenancy = new Tenancy(control);
  const owner = await tenancy.user("root", "platform-owner", "");
  const ask = <Shape>(method: string, path: string, body?: unknown) => server.must<Shape>(owner, method, path, body);
  await ask("POST", "/v1/prices", { ...list, idle: { policy, gpus: [{ model: "*", micros: 500_000 }] } });
  await tenancy.account("lab", floor(5));
  await tenancy.account("ops", floor(1));
  const job = await tenancy.job("ops", owner.id, { gpus: "H100:6", cpus: 3, memory: "10GiB" });
  await control.run(job);
  control.setTime(start + 7 * hour + 1234);
  await control.end(job);
  control.setTime(start + 10 * hour);
  return { control, ask };
}

it("[S13] charges, credits and adjustments are what the balances of the ledger say, to the micro", async (t) => {
  const { control, ask } = await month(t, "by-use");
  control.setTime(Date.UTC(2026, 10, 1) + hour);
  await ask("POST", "/v1/periods/close", { period: "2026-10" });
  await ask("POST", "/v1/ledger", { account: "ops", kind: "payment", micros: "1000000", memo: "bank" });
  await ask("POST", "/v1/ledger", { account: "ops", kind: "adjustment", micros: "-250000", memo: "outage" });
  const { items } = await ask<{ items: InvoiceSummary[] }>("GET", "/v1/invoices");
  const { balances } = await ask<LedgerPage>("GET", "/v1/ledger");
  const byBook = new Map<string, bigint>();
  const add = (book: string, micros: bigint) => byBook.set(book, (byBook.get(book) ?? 0n) + micros);
  for (const { tenant, status } of items) {
    if (status !== "issued") continue;
    const invoice = await ask<InvoiceShape>("GET", `/v1/accounts/${tenant}/invoices/2026-10`);
    const { chargesMicros, creditsMicros, roundingMicros } = invoice;
    add(`EUR tenant/${tenant}/owed`, BigInt(chargesMicros) + BigInt(creditsMicros) + BigInt(roundingMicros));
    add("EUR rounding", -BigInt(roundingMicros));
    for (const { kind, micros } of invoice.lines) {
      const books: Record<string, string> = {
        reserved: `reservation/${tenant}`,
        lent: `lender/${tenant}`,
        idle: "idle-pool",
      };
      add(`EUR ${books[kind] ?? `revenue/${kind}`}`, -BigInt(micros));
    }
  }
  add("EUR tenant/ops/owed", -1_000_000n - 250_000n);
  add("EUR cash", 1_000_000n);
  add("EUR adjustments", 250_000n);
  const found = Object.fromEntries(
    [...byBook].filter(([, micros]) => micros !== 0n).map(([book, sum]) => [book, String(sum)]),
  );
  assert.deepEqual(found, Object.fromEntries(Object.entries(balances).filter(([, micros]) => micros !== "0")));
  assert.ok(
    Object.keys(found).some((book) => book.startsWith("EUR lender/")),
    "somebody lent",
  );
  assert.ok("EUR idle-pool" in found, "idle time was shared");
});

it("shares what nobody used by the policy of the list, in invoices and in reports of costs", async (t) => {
  const idle: Record<string, readonly (string | undefined)[]> = {};
  for (const policy of ["absorb", "by-quota", "by-use"] as const) {
    const { ask } = await month(t, policy);
    const idleOf = async (tenant: string) =>
      (await ask<InvoiceShape>("GET", `/v1/accounts/${tenant}/invoices/2026-10`)).lines.find(
        ({ kind }) => kind === "idle",
      )?.micros;
    idle[policy] = [await idleOf("lab"), await idleOf("ops")];
    const report = await ask<CostReport>("GET", "/v1/costs?by=class&from=2026-10-01");
    const shared = idle[policy]!.reduce((sum, micros) => sum + BigInt(micros ?? 0), 0n);
    assert.equal(report.rows.find(({ key }) => key === "idle")?.micros ?? "0", String(shared), policy);
  }
  assert.deepEqual(idle.absorb, [undefined, undefined]);
  const [lab, ops] = idle["by-quota"]!.map(Number);
  assert.ok(Math.abs(lab! - 5 * ops!) <= 5, `${lab} is five times ${ops}`);
  assert.equal(idle["by-use"]![0], undefined, "who used nothing pays for nothing that was idle");
  assert.equal(Number(idle["by-use"]![1]), lab! + ops!);
});

it("a new price list says before it is added what it would have changed last month", async (t) => {
  const { control, ask } = await month(t, "absorb");
  control.setTime(Date.UTC(2026, 10, 2));
  const dearer = {
    ...list,
    id: "next",
    from: "2026-11-03T00:00:00Z",
    gpus: [{ model: "*", reservedMicros: 4_000_000, burstMicros: 3_000_001 }],
  };
  const preview = await ask<PricePreview>("POST", "/v1/prices/preview", dearer);
  assert.equal(preview.period, "2026-10");
  const lab = preview.rows.find(({ tenant }) => tenant === "lab")!;
  assert.ok(BigInt(lab.thenMicros) > BigInt(lab.nowMicros));
  assert.equal(control.state.books.versions.length, 1, "nothing was added");
});
