import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChartView } from "../../chart/view.ts";
import { moneyAgainst, moneyPerDay } from "./money-view.ts";

describe("charts of money", () => {
  const now = Date.UTC(2026, 0, 7, 12);
  const rows = [
    { key: "2026-01-07", micros: "3500000" },
    { key: "2026-01-05", micros: "12340000" },
    { key: "2026-01-04", micros: "1000000" },
  ];
  const told = ({ lines }: ChartView) => lines.map(({ label, values }) => [label, values]);

  it("show each day in order, 0 where nothing was spent, and as many days before behind them", () => {
    const view = moneyPerDay(rows, "EUR", 3, now);
    assert.deepEqual(told(view), [
      ["spent", [12.34, 0, 3.5]],
      ["period before", [0, 0, 1]],
    ]);
    assert.equal(view.lines[1]!.ghost, true);
    assert.equal(new Date(view.from).toISOString(), "2026-01-05T00:00:00.000Z");
  });

  it("show what came together against a budget, and where it goes", () => {
    const money = { currency: "EUR", limitMicros: "20000000", forecastMicros: "19840000" };
    const budget = { ...money, from: "2026-01-05T00:00:00Z", to: "2026-01-10T00:00:00Z" };
    assert.deepEqual(told(moneyAgainst(rows, budget, now)), [
      ["spent so far", [12.34, 12.34, 15.84, null, null]],
      ["if it goes on as now", [null, null, 15.84, 17.84, 19.84]],
      ["budget", [20, 20, 20, 20, 20]],
    ]);
  });
});
