import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { askOf, changesOf, commandOf, paramsOf, textOf } from "./question.ts";

describe("a question of what would have been", () => {
  const ask = {
    ...{ from: "7d", sets: ["quota.lab/nlp.guarantee.H100=12"], policies: ["rebalance=off"], nodes: ["-2x8:H100"] },
    hardQuotas: true,
  };

  it("is kept by the address as it was asked", () => {
    assert.deepEqual(askOf(paramsOf(ask, "wif_1")), ask);
    assert.deepEqual(askOf(new URLSearchParams()), { from: "7d" });
  });

  it("is written as the command takes it", () => {
    assert.equal(
      commandOf(ask),
      "tess what-if --from 7d --set quota.lab/nlp.guarantee.H100=12 --policy rebalance=off --nodes=-2x8:H100 --hard-quotas",
    );
    assert.equal(changesOf(ask).length, 4);
  });

  it("says what is wrong with a change before it is asked", () => {
    const quota = { kind: "quota", account: "lab", field: "guarantee", model: "", amount: "8" } as const;
    assert.deepEqual(textOf(quota), { text: "quota.lab.guarantee=8" });
    assert.deepEqual(textOf({ ...quota, field: "max", model: "H100", amount: "none" }), {
      text: "quota.lab.max.H100=none",
    });
    assert.ok("wrong" in textOf({ ...quota, amount: "none" }));
    assert.deepEqual(textOf({ ...quota, amount: "6.000" }, "de"), { text: "quota.lab.guarantee=6000" });
    assert.ok("wrong" in textOf({ ...quota, amount: "6.000" }, "en"));
    assert.ok("wrong" in textOf({ kind: "policy", key: "grace", value: "soon" }));
    assert.deepEqual(textOf({ kind: "policy", key: "backfill", value: "off" }), { text: "backfill=off" });
    assert.deepEqual(textOf({ kind: "nodes", sign: "fewer", nodes: "2", gpus: "8", model: "H100" }), {
      text: "-2x8:H100",
    });
    assert.ok("wrong" in textOf({ kind: "nodes", sign: "more", nodes: "0", gpus: "8", model: "" }));
  });
});
