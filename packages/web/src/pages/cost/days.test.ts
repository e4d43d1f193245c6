import assert from "node:assert/strict";
import test from "node:test";
import { hoursPerDay, lastDays } from "./days.ts";

test("the last days end now and begin at midnight UTC", () => {
  const days = lastDays(2, Date.parse("2026-11-15T10:00:00Z"));
  assert.deepEqual(days, [
    { from: "2026-11-14T00:00:00.000Z", to: "2026-11-15T00:00:00.000Z" },
    { from: "2026-11-15T00:00:00.000Z", to: "2026-11-15T10:00:00.000Z" },
  ]);
});

test("what is beyond the largest comes together, by name, and nothing is lost", () => {
  const row = (key: string, gpuHours: number) => ({
    ...{ key, name: `the ${key}`, byState: {}, gpuHours: String(gpuHours) },
    unitMs: String(BigInt(gpuHours) * 21_000n * 3_600_000n),
  });
  const spans = lastDays(2, Date.parse("2026-11-15T10:00:00Z"));
  const days = [
    { rows: [row("a", 1), row("b", 5), row("c", 2)], rest: { rows: 40, unitMs: row("", 10).unitMs } },
    { rows: [row("a", 1)] },
  ];
  const { lines } = hoursPerDay(spans, days, 1);
  assert.deepEqual(
    lines.map(({ label, values }) => [label, values]),
    [
      ["the b", [5, 0]],
      ["others", [13, 1]],
    ],
  );
  assert.deepEqual(
    hoursPerDay(spans, days.slice(1), 1).lines.map(({ label }) => label),
    ["the a"],
  );
});
