import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";

/** One GPU that may be cut, an untrusted tenant on a part of it, and a trusted one that wants another. */
function world(): World {
  const w = new World();
  w.must({ kind: "node.register", nodes: [{ ...nodeOf("n", "H100:1"), pool: "any" as const }] });
  w.account("lab").account("guest", { trust: "untrusted" });
  w.submit("theirs", "guest", { gpus: "0.3" });
  w.submit("ours", "lab", { gpus: "0.3" });
  return w;
}

const edit = (w: World, path: string, allowMigWith: string[]) =>
  w.must({
    kind: "account.edit",
    path,
    terms: { ...w.state.accountByPath.get(path)!.terms, allowMigWith },
  });

describe("an untrusted tenant", () => {
  it("[P3] shares a GPU by MIG only where both tenants allow it, also when one is there already", () => {
    const w = world();
    const ours = w.state.jobById.get(jobId("ours"))!;
    assert.deepEqual([ours.state, reasonFor(w.state, ours, w.now).kind], ["waiting", "isolation"]);
    edit(w, "lab", ["guest"]);
    assert.equal(w.stateOf("ours"), "waiting");
    edit(w, "guest", ["lab"]);
    assert.deepEqual([w.stateOf("ours"), ours.leases[0]?.part?.mode], ["starting", "mig"]);
    assert.equal(writeSnapshot(readSnapshot(writeSnapshot(w.state))), writeSnapshot(w.state));
  });

  it("[P3] never shares a GPU in another mode, whatever the tenants allow", () => {
    const w = world();
    edit(w, "lab", ["guest"]);
    w.submit("by-mps", "lab", { gpus: "0.1", isolation: "mps" });
    edit(w, "guest", ["lab"]);
    assert.equal(w.stateOf("by-mps"), "waiting");
  });
});
