import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBody, draftOf, editBody, poolCommand, poolEffects, wrongIn } from "./pool-form.ts";

describe("a pool as it is typed", () => {
  const draft = { ...draftOf(undefined), name: "gold", labels: "tier=gold", tenants: "lab, studio/render" };

  it("is made of what was said, and an edit takes back what is empty", () => {
    assert.deepEqual(createBody(draft), {
      ...{ name: "gold", labels: { tier: "gold" }, price: "1", tenants: ["lab", "studio/render"] },
    });
    assert.deepEqual(editBody({ ...draft, tenants: "", mode: "timeslice", ratio: "4" }, draft), {
      ...{ tenants: null, mode: "timeslice", ratio: 4 },
    });
    assert.deepEqual(editBody({ ...draft, price: "2", trust: "trusted" }, draft), { price: "2", trust: "trusted" });
    assert.deepEqual(editBody(draft, draft), {});
  });

  it("names the field that is wrong", () => {
    assert.deepEqual(wrongIn(draft), {});
    assert.deepEqual(Object.keys(wrongIn({ ...draft, name: "Gold", labels: "gold", price: "1.500" })), [
      ...["name", "labels", "price"],
    ]);
  });

  it("is one command with all that the form sets, or all that it changes", () => {
    assert.equal(
      poolCommand({ ...draft, mode: "timeslice", ratio: "4", trust: "trusted" }, undefined),
      "tess pool create gold --label tier=gold --tenant lab --tenant studio/render --price 1 --mode timeslice --ratio 4 --trust trusted",
    );
    assert.equal(
      poolCommand({ ...draft, tenants: "", mode: "node", trust: "all" }, { ...draft, mode: "mig", trust: "trusted" }),
      "tess pool edit gold --all-tenants --mode node --trust all",
    );
  });

  it("says which nodes it would have, and which stay with another pool", () => {
    const preview = { nodes: 3, gpus: 24, taken: [{ pool: "silver", nodes: 1 }], left: [{ pool: "bronze", nodes: 2 }] };
    assert.deepEqual(poolEffects(preview, ["lab"]), [
      "3 nodes with 24 GPUs belong to it. New jobs of lab and below use them, no others. Running jobs go on.",
      "1 node of them leaves silver.",
      "2 nodes with these labels stay with bronze, whose name comes first.",
    ]);
    assert.deepEqual(poolEffects({ nodes: 0, gpus: 0, taken: [], left: [] }, []), ["No node belongs to it now."]);
  });
});
