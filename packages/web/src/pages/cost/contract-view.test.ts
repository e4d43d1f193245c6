import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ContractDraft, percentOf, readContract } from "./contract-view.ts";

const draft: ContractDraft = { tenant: "lab", from: "2026-12-01", to: "2027-12-01", percent: "87.5", rates: [] };

describe("a contract as it is typed", () => {
  it("is read in whole thousandths and micros", () => {
    assert.deepEqual(readContract(draft), { body: { from: "2026-12-01", to: "2027-12-01", perMille: 875 } });
    const rates = [{ model: "H100", reserved: "1.75", burst: "0.5" }];
    assert.deepEqual(readContract({ ...draft, percent: "100", rates }), {
      body: {
        ...{ from: "2026-12-01", to: "2027-12-01", perMille: 1000 },
        gpus: [{ model: "H100", reservedMicros: 1_750_000, burstMicros: 500_000 }],
      },
    });
    assert.deepEqual([875, 900, 1000].map(percentOf), ["87.5", "90", "100"]);
  });

  it("names each field that is wrong", () => {
    const rates = [{ model: "H100", reserved: "x", burst: "1" }];
    const read = readContract({ tenant: "", from: "2026-12-01", to: "2026-12-01", percent: "87.55", rates });
    assert.deepEqual(Object.keys("wrong" in read ? read.wrong : {}).sort(), ["percent", "rates.0", "tenant", "to"]);
  });
});
