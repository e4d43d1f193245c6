import assert from "node:assert/strict";
import test from "node:test";
import { looksOfNames } from "../../chart/colours.ts";
import { partsOf } from "../../chart/range.ts";
import { hoursPerStep } from "./days.ts";

test("what is beyond the largest comes together, by name, and nothing is lost", () => {
  const row = (key: string, gpuHours: number) => ({
    ...{ key, name: `the ${key}`, byState: {}, gpuHours: String(gpuHours) },
    unitMs: String(BigInt(gpuHours) * 21_000n * 3_600_000n),
  });
  const [from, to] = [Date.parse("2026-11-14T00:00:00Z"), Date.parse("2026-11-16T00:00:00Z")];
  const steps = partsOf({ from, to }, Date.parse("2026-11-15T10:00:00Z"));
  const days = [
    { rows: [row("a", 1), row("b", 5), row("c", 2)], rest: { rows: 40, unitMs: row("", 10).unitMs } },
    { rows: [row("a", 1)] },
  ];
  const { lines, to: end } = hoursPerStep(steps, days, 1, looksOfNames);
  assert.deepEqual(
    lines.map(({ label, values }) => [label, values]),
    [
      ["the b", [5, 0]],
      ["others", [13, 1]],
    ],
  );
  assert.equal(end, to, "today has as much room as a whole day");
  assert.deepEqual(
    hoursPerStep(steps, days.slice(1), 1, looksOfNames).lines.map(({ label }) => label),
    ["the a"],
  );
});
