import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";

/** Three racks of two nodes with two GPUs each. */
function world(): World {
  const w = new World();
  const nodes = [0, 1, 2, 3, 4, 5].map((no) => {
    const facts = nodeOf(`n${no}`, "H100:2");
    return { ...facts, place: { ...facts.place, rack: `r${Math.floor(no / 2)}` } };
  });
  w.must({ kind: "node.register", nodes });
  return w.account("lab", { guarantee: 12 });
}

const racksOf = (w: World, id: string) =>
  w.state.jobById
    .get(jobId(id))!
    .leases.map(({ node }) => w.state.fleet.node(node).facts.place.rack)
    .sort();

describe("members that must be spread", () => {
  it("[P7] go to different racks where that is required", () => {
    const w = world();
    w.submit("packed", "lab", { members: 3, gpus: 1 });
    assert.equal(new Set(racksOf(w, "packed")).size, 1);
    w.submit("wide", "lab", { members: 3, gpus: 1, spread: "rack" });
    assert.deepEqual(racksOf(w, "wide"), ["r0", "r1", "r2"]);
  });

  it("[P7] go to as many racks as there are where it is preferred, as evenly as there is room", () => {
    const w = world();
    w.submit("even", "lab", { members: 6, gpus: 1, spread: "rack?" });
    assert.deepEqual(racksOf(w, "even"), ["r0", "r0", "r1", "r1", "r2", "r2"]);
  });

  it("[P7] are refused where the fleet has too few racks, and wait where too few have room", () => {
    const w = world();
    const answer = w.submit("four", "lab", { members: 4, gpus: 1, spread: "rack" });
    assert.ok(isRefusal(answer) && answer.refused === "never-fits" && answer.field === "spread");
    w.submit("full", "lab", { members: 4, gpus: 1, topology: "rack" });
    w.submit("waits", "lab", { members: 3, gpus: 1, spread: "rack" });
    const job = w.state.jobById.get(jobId("waits"))!;
    const reason = reasonFor(w.state, job, w.now);
    assert.deepEqual([job.state, reason.kind], ["waiting", "shape"]);
    const free = { gpus: 8, model: "H100" };
    assert.deepEqual(reason.values, { cause: "spread", free, level: "rack", members: 3 });
  });

  it("[P7] stay inside the required topology, and grow into new racks only", () => {
    const w = world();
    w.submit("inside", "lab", { members: 2, gpus: 1, topology: "rack", spread: "node" });
    assert.equal(new Set(racksOf(w, "inside")).size, 1);
    w.submit("grows", "lab", { members: "1..6", gpus: 1, spread: "rack" });
    assert.deepEqual(racksOf(w, "grows"), ["r0", "r1", "r2"]);
    assert.ok(isRefusal(w.submit("bad", "lab", { members: 2, gpus: 1, topology: "rack", spread: "zone" })));
    assert.ok(isRefusal(w.submit("part", "lab", { members: 2, gpus: "0.5", spread: "rack" })));
  });
});
