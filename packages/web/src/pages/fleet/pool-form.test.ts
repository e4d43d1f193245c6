import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBody, draftOf, editBody, matching, wrongIn } from "./pool-form.ts";

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
    assert.deepEqual(Object.keys(wrongIn({ ...draft, name: "Gold", labels: "gold", price: "1,5" })), [
      ...["name", "labels", "price"],
    ]);
  });

  it("finds the nodes that have all labels, with engine and region among them", () => {
    const nodes = [
      { engine: "east", labels: { tier: "gold" }, gpus: 8 },
      { engine: "west", region: "eu", labels: { tier: "gold" }, gpus: 8 },
      { engine: "west", gpus: 8 },
    ];
    assert.equal(matching(nodes, { tier: "gold" }).length, 2);
    assert.equal(matching(nodes, { tier: "gold", engine: "west", region: "eu" }).length, 1);
  });
});
