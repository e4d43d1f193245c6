import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, mistakesOf } from "../journal/refusal.ts";
import type { PoolTerms } from "../model/pool.ts";
import { World } from "../testing/world.ts";

const gold: PoolTerms = { labels: { tier: "gold" }, perMille: 1500 };

function refusedFields(w: World, terms: PoolTerms, name = "gold"): string[] {
  const decision = w.do({ kind: "pool.create", name, terms });
  assert.ok(isRefusal(decision));
  return mistakesOf(decision).map(({ field }) => field);
}

describe("pools", () => {
  it("are made, edited and deleted, and a node belongs to the first by name that it matches", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    const node = w.state.fleet.nodes[0]!;
    const poolOf = () => w.state.nodePools.of(node.no)?.name;
    const labels = { engine: node.facts.engine };
    w.must({ kind: "pool.create", name: "b", terms: { labels, perMille: 1000 } });
    assert.equal(poolOf(), "b");
    w.must({ kind: "pool.create", name: "a", terms: { labels, perMille: 1000, tenants: ["lab", "lab"] } });
    assert.equal(poolOf(), "a");
    assert.deepEqual(w.state.pools.get("a")?.terms.tenants, ["lab"]);
    w.must({ kind: "pool.edit", name: "a", terms: gold });
    assert.deepEqual([poolOf(), w.state.pools.get("a")?.revision], ["b", 2]);
    w.must({ kind: "pool.delete", name: "b" });
    assert.equal(poolOf(), undefined);
  });

  it("are refused with every field that is wrong", () => {
    const w = new World().account("lab");
    assert.deepEqual(refusedFields(w, { labels: {}, tenants: ["nobody"], perMille: 0 }), [
      "labels",
      "tenants[0]",
      "perMille",
    ]);
    assert.deepEqual(refusedFields(w, { ...gold, tenants: [] }), ["tenants"]);
    assert.deepEqual(refusedFields(w, { ...gold, perMille: 100_001 }), ["perMille"]);
    assert.deepEqual(refusedFields(w, gold, "Gold"), ["name"]);
    w.must({ kind: "pool.create", name: "gold", terms: gold });
    assert.deepEqual(refusedFields(w, gold), ["name"]);
    for (const kind of ["pool.edit", "pool.delete"] as const)
      assert.ok(isRefusal(w.do({ kind, name: "none", terms: gold })));
  });

  it("keep the accounts that they name from being deleted", () => {
    const w = new World().account("lab");
    w.must({ kind: "pool.create", name: "gold", terms: { ...gold, tenants: ["lab"] } });
    assert.ok(isRefusal(w.do({ kind: "account.delete", path: "lab" })));
    w.must({ kind: "pool.delete", name: "gold" });
    w.must({ kind: "account.delete", path: "lab" });
  });
});
