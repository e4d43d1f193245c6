import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainTerms } from "../model/account.ts";
import { unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";

/** Two nodes with one GPU free on each: one runs borrowed work, the other guaranteed work. */
function world(): World {
  const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]);
  w.account("guest").account("lab", { guarantee: 4 }).account("owner", { guarantee: 4 });
  w.submit("lent", "guest", { gpus: 3 });
  w.submit("owned", "lab", { gpus: 3 });
  return w.run("lent").run("owned");
}

const nodeOf = (w: World, id: string) => {
  const { node } = w.state.jobById.get(jobId(id))!.leases[0]!;
  return w.state.fleet.node(node).facts.name;
};

describe("work of both classes", () => {
  it("[P4] goes beside work of its class, so that a guarantee finds a whole node to reclaim", () => {
    const w = world();
    w.submit("own", "lab");
    w.submit("more", "guest");
    assert.deepEqual([nodeOf(w, "own"), nodeOf(w, "more")], ["n1", "n0"]);
    w.submit("whole", "owner", { gpus: 4 });
    assert.deepEqual([w.stateOf("lent"), w.stateOf("more"), w.stateOf("own")], ["stopping", "stopping", "starting"]);
  });

  it("[P4, C3] is sorted by its present class, also after a restart", () => {
    const w = world();
    const coveredOn = ({ fleet }: World["state"]) => [...fleet.nodeCoveredGpus.slice(0, fleet.nodes.length)];
    assert.deepEqual(coveredOn(w.state), [0, 3]);
    const quota = { guarantee: { "*": 3 * unitsPerGpu }, weight: 1 };
    w.must({ kind: "account.edit", path: "owner", terms: { ...plainTerms, quota: { ...quota, guarantee: {} } } });
    w.must({ kind: "account.edit", path: "guest", terms: { ...plainTerms, quota } });
    assert.deepEqual(coveredOn(w.state), [3, 3]);
    assert.deepEqual(coveredOn(readSnapshot(writeSnapshot(w.state))), [3, 3]);
    w.exit("owned", 0);
    assert.deepEqual(coveredOn(w.state), [3, 0]);
  });
});
