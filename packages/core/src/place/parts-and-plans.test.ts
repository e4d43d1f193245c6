import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";

/** Two racks of two nodes with two GPUs each, which may be shared. */
function racks(): World {
  const w = new World();
  const nodes = [0, 1, 2, 3].map((no) => {
    const facts = nodeOf(`n${no}`, "H100:2");
    return { ...facts, pool: "any" as const, place: { ...facts.place, rack: `r${Math.floor(no / 2)}` } };
  });
  w.must({ kind: "node.register", nodes });
  return w.account("lab", { guarantee: 8 });
}

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;
const racksOf = (w: World, id: string) =>
  new Set(jobOf(w, id).leases.map(({ node }) => w.state.fleet.node(node).facts.place.rack));

describe("gangs of parts", () => {
  it("[P2] are in one rack where that is required, and as near as there is room where it is preferred", () => {
    const w = racks();
    // What is left of r0 is cut already and looks best, but holds only two of three.
    w.submit("here", "lab", { members: 3, gpus: 1, topology: "rack" });
    w.submit("half", "lab", { gpus: "0.3", isolation: "mps" });
    w.submit("inside", "lab", { members: 3, gpus: "0.4", isolation: "mps", topology: "rack" });
    assert.deepEqual([...racksOf(w, "half")], ["r0"]);
    assert.deepEqual([...racksOf(w, "inside")], ["r1"]);
    w.submit("rest", "lab", { members: 2, gpus: 1, topology: "rack" });
    w.submit("near", "lab", { members: 3, gpus: "0.3", isolation: "mps", topology: "rack?" });
    assert.equal(w.stateOf("near"), "starting");
    w.submit("far", "lab", { members: 6, gpus: "0.1", isolation: "mps", topology: "rack" });
    assert.deepEqual([w.stateOf("far"), reasonFor(w.state, jobOf(w, "far"), w.now).kind], ["waiting", "shape"]);
  });

  it("[T6] are refused where not even an empty fleet has room for all of them", () => {
    const w = racks();
    const refused = (raw: object) => {
      const answer = w.submit("x", "lab", raw);
      return isRefusal(answer) ? `${answer.refused} ${answer.field}` : "taken";
    };
    assert.equal(refused({ members: 17, gpus: "0.5", isolation: "mps" }), "never-fits members");
    assert.equal(refused({ nodes: 5, gpus: "0.5", isolation: "mps" }), "never-fits nodes");
    assert.equal(refused({ members: 9, gpus: "0.5", isolation: "mps", topology: "rack" }), "never-fits topology");
    assert.equal(refused({ members: 8, gpus: "0.5", isolation: "mps", topology: "rack" }), "taken");
  });
});

describe("a part of a GPU", () => {
  it("[B2] opens no GPU that a planned start counts on, and may join one that is shared already", () => {
    const w = new World();
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n", "H100:3"), pool: "any" as const }] });
    w.account("a").account("b");
    w.submit("wall", "a", { gpus: 1, max_time: "1h" });
    w.submit("part", "a", { gpus: "0.5", isolation: "mps" });
    for (const id of ["wall", "part"]) w.run(id);
    w.submit("wide", "b", { gpus: 2 });
    assert.equal(w.state.planned.size, 1);
    w.submit("large", "a", { gpus: "0.6", isolation: "mps" });
    assert.deepEqual([w.stateOf("large"), reasonFor(w.state, jobOf(w, "large"), w.now).kind], ["waiting", "order"]);
    w.submit("short", "a", { gpus: "0.6", isolation: "mps", max_time: "30m" });
    w.submit("beside", "a", { gpus: "0.5", isolation: "mps" });
    assert.deepEqual([w.stateOf("short"), w.stateOf("beside")], ["starting", "starting"]);
  });
});
