import assert from "node:assert/strict";
import { it } from "node:test";
import { detailWords } from "./detail-words.ts";

it("says in words what was changed, and leaves sentences as they are", () => {
  for (const [detail, words] of [
    ["limitMicros: none → 500.00 EUR", "limit: none → 500.00 EUR"],
    ["alertsPerMille.1: none → 800; alertsPerMille.2: 905 → none", "alert 2: none → 80 %; alert 3: 90.5 % → none"],
    [
      "every: month → once; stop: alert → stop-burst",
      "resets: each month → never; when it is spent: only alert → stop burst jobs",
    ],
    ["quota.guarantee.H100: 8 GPUs → 4 GPUs", "guarantee of H100: 8 GPUs → 4 GPUs"],
    ["guarantee.*: 4 GPUs; weight: 1", "guarantee of any model: 4 GPUs; weight: 1"],
    ["minRuntimeMs: 5m → 10m; perMille: 1000 → 900", "min runtime: 5m → 10m; of the list's prices: 100 % → 90 %"],
    ["gpus.0.burstMicros: 1.00 EUR → 2.00 EUR", "gpus 1 burst, per hour: 1.00 EUR → 2.00 EUR"],
    ["no difference", "no difference"],
  ] as const)
    assert.equal(detailWords({ action: "budget.set", detail }), words);
  const typed = { action: "ledger.post", detail: "5.00 EUR max: two; every: three" };
  assert.equal(detailWords(typed), typed.detail);
});
