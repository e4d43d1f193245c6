import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChartView } from "../../chart/view.ts";
import { budgeted, dayBand, moneyAgainst, monthOf, type Spend } from "./money-view.ts";

const dayMs = 86_400_000;

/** Money of days from January 1 on, by key, in whole units. */
function spendOf(byKey: Record<string, number[]>): Spend {
  const many = Math.max(...Object.values(byKey).map(({ length }) => length));
  return {
    currency: "EUR",
    times: Array.from({ length: many }, (_, no) => Date.UTC(2026, 0, 1) + no * dayMs),
    series: Object.entries(byKey).map(([key, units]) => ({
      ...{ key, label: key === "" ? "all" : key },
      values: units.map((each) => each * 1_000_000),
    })),
  };
}

describe("charts of money", () => {
  const now = Date.UTC(2026, 0, 7, 12);
  const told = ({ lines }: ChartView) => lines.map(({ label, values }) => [label, values]);

  it("show what came together against a budget, and where it goes", () => {
    const spend = spendOf({ "": [0, 0, 0, 1, 12.34, 0, 3.5] });
    const money = { currency: "EUR", limitMicros: "20000000", forecastMicros: "19840000" };
    const budget = { ...money, from: "2026-01-05T00:00:00Z", to: "2026-01-10T00:00:00Z" };
    assert.deepEqual(told(moneyAgainst(spend, budget, now)), [
      ["spent so far", [12.34, 12.34, 15.84, null, null]],
      ["at the present rate", [null, null, 15.84, 17.84, 19.84]],
      ["budget", [20, 20, 20, 20, 20]],
    ]);
  });

  it("end at what the page says was spent, also of no day, and count as budgets do", () => {
    const spend = spendOf({ burst: [0, 0, 0, 0, 8, 8, 8], lent: [0, 0, 0, 0, -3, -3, -3] });
    const budget = { currency: "EUR", from: "2026-01-05T00:00:00Z", to: "2026-01-08T00:00:00Z" };
    assert.deepEqual(told(moneyAgainst(budgeted(spend), { ...budget, spentMicros: "23500000" }, now)), [
      ["spent so far", [8, 16, 23.5]],
    ]);
    assert.deepEqual(told(moneyAgainst(spend, budget, now)), [["spent so far", [5, 10, 15]]]);
  });

  it("have a band between cheap and dear past days, and none where too few days tell", () => {
    const spend = spendOf({ "": [10, 20, 10, 30, 10, 10, 4] });
    assert.deepEqual(dayBand(spend, now), { low: 10, high: 30, days: 6 });
    const view = moneyAgainst(
      spend,
      { currency: "EUR", from: "2026-01-07T00:00:00Z", to: "2026-01-10T00:00:00Z" },
      now,
    );
    assert.deepEqual(told(view), [
      ["spent so far", [4, null, null]],
      ["if days are dear", [4, 34, 64]],
      ["if days are cheap", [4, 14, 24]],
    ]);
    assert.equal(dayBand(spendOf({ "": [0, 0, 0, 9, 9, 9, 4] }), now), undefined);
  });

  it("know when a month begins and ends", () => {
    assert.deepEqual(monthOf(Date.UTC(2026, 11, 31, 23)), {
      from: "2026-12-01T00:00:00.000Z",
      to: "2027-01-01T00:00:00.000Z",
    });
  });
});
