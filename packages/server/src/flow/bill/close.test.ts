import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { hour, isRefusal, type LeaseId, plainTerms } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { closePeriod, type IssuedInvoice } from "./close.ts";
import { periodNamed } from "./periods.ts";

describe("closing months", () => {
  let control: TestControl;
  let job: string;
  const firstOf = (month: number) => Date.UTC(2026, month - 1, 1);

  /** Closes a month an hour after it is over; answers the lines of `lab`. */
  const close = async (month: number) => {
    control.setTime(firstOf(month + 1) + hour);
    const label = `2026-${String(month).padStart(2, "0")}`;
    const period = periodNamed(label, "UTC");
    assert.ok(!isRefusal(period));
    const numbers = await closePeriod(control, period, { actor: { user: "system" }, request: label });
    assert.ok(!isRefusal(numbers));
    const rows = await control.reader.books({ kind: "invoice", tenant: "lab" });
    const invoices = rows.map(({ doc }) => JSON.parse(doc) as IssuedInvoice);
    return invoices.find((invoice) => invoice.period.label === label)!.lines;
  };
  const shown = (lines: IssuedInvoice["lines"]) =>
    lines.map((line) => [line.kind, line.correctsPeriod, line.corrects, line.correctsKind, Number(line.micros) / 1e6]);

  beforeEach(async () => {
    control = await TestControl.start(undefined, []);
    control.setTime(firstOf(3));
    await control.must({ kind: "node.register", nodes: fleetOf(1, 4) });
    const tenancy = new Tenancy(control);
    await tenancy.prices();
    await tenancy.account("lab", { ...plainTerms, quota: { guarantee: {}, weight: 1 } });
    const { id } = await tenancy.user("root", "platform-owner", "");
    job = await tenancy.job("lab", id, { gpus: "H100:1" });
    await control.run(job);
  });

  it("corrects every closed month that something became known of, once, naming month and line", async () => {
    assert.deepEqual(shown(await close(3)), [["burst", undefined, undefined, undefined, 31 * 24 * 3]]);
    assert.deepEqual(shown(await close(4)), [["burst", undefined, undefined, undefined, 30 * 24 * 3]]);
    assert.equal((await close(5)).length, 1);
    control.setTime(firstOf(6) + 100 * hour);
    // Only now is it known that it ended on the 11th of March.
    for (const { id } of [...control.state.leases.values()])
      await control.report(id as LeaseId, { kind: "exited", ran: true, code: 0 }, firstOf(3) + 10 * 24 * hour);
    assert.deepEqual(shown(await close(6)), [
      ["correction", "2026-03", "INV-lab-000001/1", "burst", -21 * 24 * 3],
      ["correction", "2026-04", "INV-lab-000002/1", "burst", -30 * 24 * 3],
      ["correction", "2026-05", "INV-lab-000003/1", "burst", -31 * 24 * 3],
    ]);
    const sum = control.state.books.balances.get("EUR tenant/lab/owed");
    assert.equal(sum, BigInt(10 * 24 * 3) * 1_000_000n, "what is owed is what was used");
    control.setTime(firstOf(7) + hour);
    assert.equal((await control.reader.books({ kind: "invoice", tenant: "lab" })).length, 4);
    const next = periodNamed("2026-07", "UTC");
    assert.ok(!isRefusal(next));
    control.setTime(firstOf(8) + hour);
    assert.deepEqual(await closePeriod(control, next, { actor: { user: "system" }, request: "july" }), []);
  });

  it("corrects a month of a former tenant in its own last invoice, and not in that of its successor", async () => {
    await close(3);
    control.setTime(firstOf(4) + 100 * hour);
    for (const { id } of [...control.state.leases.values()])
      await control.report(id as LeaseId, { kind: "exited", ran: true, code: 0 }, firstOf(3) + 10 * 24 * hour);
    await control.must({ kind: "account.delete", path: "lab" });
    control.setTime(firstOf(4) + 200 * hour);
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    const { id: user } = await tenancy.user("new", "tenant-admin", "lab");
    const next = await tenancy.job("lab", user, { gpus: "H100:1" });
    await control.run(next);
    control.setTime(firstOf(4) + 210 * hour);
    await control.finish(next);
    assert.deepEqual(shown(await close(4)), [["burst", undefined, undefined, undefined, 10 * 3]]);
    const rows = await control.reader.books({ kind: "invoice", tenant: "lab" });
    const former = rows.map(({ doc }) => JSON.parse(doc) as IssuedInvoice).find(({ number }) => number.endsWith("2"))!;
    assert.equal(former.period.label, "2026-04~1");
    assert.deepEqual(shown(former.lines), [["correction", "2026-03", "INV-lab-000001/1", "burst", -21 * 24 * 3]]);
    const owed = (book: string) => Number(control.state.books.balances.get(`EUR tenant/${book}/owed`)) / 1e6;
    assert.deepEqual([owed("lab~1"), owed("lab")], [10 * 24 * 3, 10 * 3]);
    const may = periodNamed("2026-05", "UTC");
    assert.ok(!isRefusal(may));
    control.setTime(firstOf(6) + hour);
    const again = await closePeriod(control, may, { actor: { user: "system" }, request: "may" });
    assert.deepEqual(again, [], "nothing is corrected twice");
  });

  it("keeps the contract of a closed month when another is agreed", async () => {
    const of = (fromAt: number, perMille: number) => ({ tenant: "lab", fromAt, toAt: firstOf(12), gpus: [], perMille });
    await control.must({ kind: "contract.set", contract: of(firstOf(3), 500) });
    const [march] = await close(3);
    assert.equal(Number(march!.micros) / 1e6, (31 * 24 * 3) / 2);
    await control.must({ kind: "contract.set", contract: of(firstOf(4), 900) });
    assert.deepEqual(shown(await close(4)), [["burst", undefined, undefined, undefined, 30 * 24 * 3 * 0.9]]);
  });
});
