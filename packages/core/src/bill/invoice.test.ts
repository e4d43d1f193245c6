import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, unitsPerGpu } from "../model/units.ts";
import { divideRounded, shareOut } from "../money/amount.ts";
import type { Invoice } from "../money/invoice.ts";
import { correctionsOf } from "./correct.ts";
import { extractFrom, extractLines, extractOf, recompute } from "./extract.ts";
import { buildInvoice, invoiceText } from "./invoice.ts";
import { entriesOf, faultOf } from "./ledger.ts";
import { floorOf, periodOf, pricesOf, ratingOf, usageOf } from "./sample.fixture.ts";

const period = periodOf(5);
const floors = [floorOf("lab", 2), floorOf("ops", 4)];
const gold = { pool: "gold", poolPerMille: 1500 };
const usage = [usageOf("lab/a", 3, 0.1, 4.3), usageOf("lab/b", 4, 1, 2, gold), usageOf("ops/x", 1, 0, 5)];
const capacity = [{ model: "H100", at: 0, revision: 1, unitsAdded: 7 * unitsPerGpu }];

function madeOf(change: Parameters<typeof pricesOf>[0] = {}) {
  const book = { versions: [pricesOf({ lenderPerMille: 400, ...change })], contracts: [] };
  const rating = ratingOf({ usage, floors, capacity }, { period, book });
  const shared = rating.shared();
  const invoiceFor = (tenant: string): Invoice =>
    buildInvoice({
      ...{ tenant, period, mode: "chargeback", book, windows: [], shared, corrections: [] },
      lines: rating.lines(tenant),
    })!;
  return { book, shared, invoiceFor };
}

describe("an invoice", () => {
  it("[S13] is booked by entries whose legs add up to 0 and whose sum is the total", () => {
    for (const tenant of ["lab", "ops"]) {
      const invoice = madeOf({ gpus: [{ model: "*", reservedMicros: 1_234_567, burstMicros: 7_654_321 }] }).invoiceFor(
        tenant,
      );
      const entries = entriesOf(invoice, "INV-000001", 5, 9);
      assert.deepEqual(
        entries.map(faultOf),
        entries.map(() => undefined),
      );
      const owed = entries.flatMap(({ legs }) => legs).filter(({ account }) => account === `tenant/${tenant}/owed`);
      assert.equal(
        owed.reduce((sum, { micros }) => sum + micros, 0n),
        invoice.totalMicros,
      );
      assert.equal(invoice.totalMicros % 10_000n, 0n);
      assert.deepEqual(
        entries.map(({ no }) => no),
        entries.map((_, i) => 5 + i),
      );
    }
  });

  it("[S11] follows from the tenant's extract alone, byte for byte", () => {
    const { book, shared, invoiceFor } = madeOf();
    for (const tenant of ["lab", "ops"]) {
      const whole = { tenant, period, mode: "chargeback", book, windows: [], usage, floors, lost: [], shared } as const;
      const lines = extractLines(extractOf({ ...whole, corrections: [] }));
      assert.doesNotMatch(lines.join(), tenant === "lab" ? /"ops[/"]/ : /"lab[/"]/, "nothing of the other tenant");
      assert.equal(invoiceText(recompute(extractFrom(lines))!), invoiceText(invoiceFor(tenant)));
    }
    const pools = invoiceFor("lab").lines.map(({ account, pool = "" }) => `${account} ${pool}`);
    assert.ok(pools.includes("lab/b gold"), pools.join());
  });

  it("is raised to the minimum amount where it has any charge", () => {
    const invoice = madeOf({ minimumMicros: 1_000_000_000 }).invoiceFor("lab");
    assert.equal(invoice.lines.at(-1)!.kind, "minimum");
    assert.equal(invoice.totalMicros, 1_000_000_000n);
  });

  it("is rounded to what can be paid in its currency, as a leg of its own", () => {
    const invoice = madeOf({
      currency: "JPY",
      gpus: [{ model: "*", reservedMicros: 1, burstMicros: 1_500_001 }],
    }).invoiceFor("lab");
    assert.equal(invoice.totalMicros % 1_000_000n, 0n);
    assert.equal(invoice.chargesMicros + invoice.creditsMicros + invoice.roundingMicros, invoice.totalMicros);
  });
});

describe("a correction", () => {
  it("is a new line that names the old one, and brings a closed period to what is known now", () => {
    const before = ratingOf({ usage, floors }, { period }).lines("lab");
    const issued = before.map((line, i) => ({ name: `INV-000001/${i + 1}`, line }));
    const shorter = [{ ...usage[0]!, toAt: 4 * hour, revision: 2 }, ...usage.slice(1)];
    const now = ratingOf({ usage: shorter, floors }, { period }).lines("lab");
    const corrections = correctionsOf(period.label, issued, now);
    assert.deepEqual(
      corrections.map(({ kind, corrects, micros }) => [kind, corrects, micros]),
      [["correction", "INV-000001/2", -900_000n]],
    );
    const after = [...issued, ...corrections.map((line, i) => ({ name: `INV-000002/${i + 1}`, line }))];
    assert.deepEqual(correctionsOf(period.label, after, now), [], "corrected once, nothing is left to correct");
  });

  it("of something that was not on the invoice names the period, and is made once", () => {
    const before = ratingOf({ usage, floors }, { period }).lines("lab");
    const issued = before.map((line, i) => ({ name: `INV-000001/${i + 1}`, line }));
    const late = usageOf("lab/late", 1, 0, 2);
    const now = ratingOf({ usage: [...usage, late], floors }, { period }).lines("lab");
    const added = correctionsOf(period.label, issued, now).filter(({ account }) => account === "lab/late");
    assert.deepEqual(
      added.map(({ corrects, correctsPeriod, correctsKind, micros }) => [
        corrects,
        correctsPeriod,
        correctsKind,
        micros,
      ]),
      [[undefined, period.label, "burst", 3_600_000n]],
    );
    const corrected = correctionsOf(period.label, issued, now).map((line, i) => ({
      name: `INV-000002/${i + 1}`,
      line,
    }));
    assert.deepEqual(correctionsOf(period.label, [...issued, ...corrected], now), []);
    const undone = correctionsOf(period.label, [...issued, ...corrected], before);
    assert.equal(undone.find(({ account }) => account === "lab/late")!.micros, -3_600_000n);
    const after = [...issued, ...corrected, ...undone.map((line, i) => ({ name: `INV-000003/${i + 1}`, line }))];
    assert.deepEqual(correctionsOf(period.label, after, before), []);
    assert.deepEqual(correctionsOf("another", corrected, []), [], "it is no matter of another period");
  });
});

describe("rounding", () => {
  it("treats a credit like the charge it undoes", () => {
    for (const rounding of ["half-up", "half-even", "down", "up"] as const) {
      for (const amount of [1n, 5n, 15n, 25n, 26n, 34n]) {
        assert.equal(divideRounded(-amount, 10n, rounding), -divideRounded(amount, 10n, rounding));
      }
    }
    assert.equal(divideRounded(25n, 10n, "half-even"), 2n);
    assert.equal(divideRounded(25n, 10n, "half-up"), 3n);
  });

  it("shares out all of a total, remainders by size and then by place", () => {
    assert.deepEqual(shareOut(10n, [1n, 1n, 1n]), [4n, 3n, 3n]);
    assert.deepEqual(shareOut(7n, [0n, 5n, 2n]), [0n, 5n, 2n]);
    assert.deepEqual(shareOut(5n, [0n, 0n]), [0n, 0n]);
  });
});
