import assert from "node:assert/strict";
import { it } from "node:test";
import type { CostReport, LineShape } from "@tessera/wire";
import { costRows, keyText, sumWords } from "./cost-rows.ts";

it("a row of costs without a key is named by what it holds in its group", () => {
  const words = (["user", "job", "day", "account", "model"] as const).map((by) => keyText(by, ""));
  const shared = "credits, and shares of idle GPUs";
  assert.deepEqual(words, [shared, shared, "not tied to a day", "the platform itself", "no GPU"]);
  assert.deepEqual([keyText("model", "*"), keyText("model", "H100"), keyText("job", "*")], ["any model", "H100", "*"]);
});

it("costs are rows of a file, days without a time before", () => {
  const about = { from: "", to: "", currency: "EUR", totalMicros: "5" };
  const row = { key: "ada", micros: "5", beforeMicros: "4", byKind: {}, gpuHours: "1.000" };
  const users: CostReport = { ...about, by: "user", rows: [row] };
  assert.deepEqual(costRows(users), [
    { user: "ada", gpuHours: "1.000", micros: "5", beforeMicros: "4", currency: "EUR" },
  ]);
  const { beforeMicros: _, ...day } = { ...row, key: "2026-11-05" };
  assert.deepEqual(costRows({ ...about, by: "day", rows: [day] }), [
    { day: "2026-11-05", gpuHours: "1.000", micros: "5", currency: "EUR" },
  ]);
});

it("a line of an invoice is explained as hours times a price", () => {
  const line: LineShape = {
    ...{ line: 1, kind: "reserved", account: "lab", model: "*", profile: "", isolation: "", topology: "" },
    ...{ version: "l1", perMille: 1000, quantity: "9106133904000", unit: "gpu-hour", hours: "120.452" },
    ...{ unitPriceMicros: "2000000000", micros: "240903013333" },
  };
  const words = (of: Partial<LineShape>, locale = "en") =>
    sumWords({ line: { ...line, ...of }, currency: "EUR" }, locale);
  assert.equal(words({}), "120.452 GPU-hours × 2,000.00 EUR = 240,903.01 EUR");
  assert.equal(words({}, "de"), "120,452 GPU-hours × 2.000,00 EUR = 240.903,01 EUR");
  assert.equal(
    words({ unit: "gib-hour", hours: "3.000", unitPriceMicros: "1000000/2", micros: "-1500000" }, "en"),
    "3.000 GiB-hours × 0.50 EUR = 1.50 EUR, credited",
  );
  assert.equal(
    words({ hours: "-1.000", micros: "-2000000000" }),
    "\u22121.000 GPU-hours × 2,000.00 EUR = \u22122,000.00 EUR",
  );
  assert.equal(words({ unit: "none", micros: "5000000" }), "5.00 EUR");
});
