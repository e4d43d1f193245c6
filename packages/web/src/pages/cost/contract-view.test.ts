import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Contract,
  type ContractDraft,
  contractCommand,
  contractsAfter,
  percentOf,
  readContract,
} from "./contract-view.ts";

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
    assert.deepEqual(Object.keys("wrong" in read ? read.wrong : {}).sort(), [
      "percent",
      "rates.0.amount",
      "tenant",
      "to",
    ]);
  });

  it("is one command with all that the form sets", () => {
    const read = readContract({ ...draft, rates: [{ model: "H100", reserved: "1.75", burst: "0.5" }] });
    assert.ok("body" in read);
    assert.equal(
      contractCommand("lab", read.body),
      `echo '{"from":"2026-12-01","to":"2027-12-01","perMille":875,"gpus":[{"model":"H100","reservedMicros":1750000,"burstMicros":500000}]}' | tess price contract lab -`,
    );
  });

  it("says which contracts of the tenant it replaces, and which hold until it begins", () => {
    const known = (from: string, to: string): Contract => ({
      ...{ tenant: "lab", from: `${from}T00:00:00.000Z`, to: `${to}T00:00:00.000Z`, gpus: [], perMille: 900 },
      revision: "r",
    });
    const contracts = [
      known("2026-01-01", "2026-06-01"),
      known("2026-06-01", "2027-06-01"),
      known("2026-12-01", "2028-01-01"),
    ];
    assert.deepEqual(contractsAfter(contracts, { from: "2026-12-01", to: "2027-12-01" }), [
      "The contract from 2026-01-01 to 2026-06-01 stays as it is.",
      "The contract from 2026-06-01 to 2027-06-01 applies until 2026-12-01.",
      "It replaces the contract from 2026-12-01 to 2028-01-01.",
    ]);
  });
});
