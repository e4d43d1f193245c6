import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jobId, nodeOf, World } from "../testing/world.ts";

function world(): World {
  return new World().nodes(["n", "H100:4"]).account("a", { guarantee: 2 }).account("b", { guarantee: 2 });
}

const members = (w: World, id: string) =>
  w.state.jobById.get(jobId(id))?.leases.filter((lease) => lease.state !== "stopping").length;

describe("elastic gangs", () => {
  it("[P1] take at least the minimum, and more where no waiting job can use it", () => {
    const w = world();
    w.submit("wide", "b", { gpus: 2 });
    w.submit("stretchy", "a", { members: "1..4", gpus: 1 });
    assert.equal(members(w, "stretchy"), 2);
    w.run("wide").exit("wide", 0);
    assert.equal(members(w, "stretchy"), 4);
  });

  it("[P1] grow after all waiting minimums, whatever came first", () => {
    const w = world();
    w.submit("fill", "a", { gpus: 4 });
    w.submit("stretchy", "a", { members: "1..4", gpus: 1 });
    w.submit("late", "b", { gpus: 3 });
    w.run("fill").exit("fill", 0);
    assert.equal(members(w, "stretchy"), 1);
    assert.equal(w.stateOf("late"), "starting");
  });

  it("[T5] give back extra members before any job is evicted, and run on", () => {
    const w = world();
    w.submit("stretchy", "a", { members: "1..4", gpus: 1 });
    w.run("stretchy");
    w.submit("owner", "b", { gpus: 2 });
    assert.equal(members(w, "stretchy"), 2);
    assert.equal(w.stateOf("stretchy"), "running");
    for (const rank of [3, 2]) w.report("stretchy", { kind: "exited", ran: true, signal: "SIGTERM" }, rank);
    assert.equal(w.stateOf("owner"), "starting");
    w.exit("stretchy", 0, 1);
    w.exit("stretchy", 0, 0);
    assert.equal(w.outcomeOf("stretchy"), "succeeded");
  });

  it("[C4] never grow when they must not be preempted", () => {
    const w = world();
    w.submit("fixed", "a", { members: "1..4", gpus: 1, preemptible: false });
    assert.equal(members(w, "fixed"), 1);
  });

  it("[P1, P2] grow by parts on other nodes, and inside the required rack", () => {
    const w = racks();
    w.submit("apart", "lab", { nodes: "1..9", gpus: "0.5", isolation: "mps" });
    assert.deepEqual(nodesOf(w, "apart"), [0, 1, 2, 3]);
    w.submit("inside", "lab", { members: "1..9", gpus: "0.5", isolation: "mps", topology: "rack" });
    assert.equal(new Set(racksOf(w, "inside")).size, 1);
    assert.equal(racksOf(w, "inside").length, 6);
  });

  it("[P2] grow nearby first where a rack is only preferred", () => {
    const w = racks();
    w.submit("near", "lab", { members: "1..5", gpus: 1, topology: "rack?" });
    assert.deepEqual(racksOf(w, "near"), ["r0", "r0", "r0", "r0", "r1"]);
  });

  it("[B2] leave a planned start what it counts on", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a").account("b");
    w.submit("wall", "b", { gpus: 2, max_time: "1h" });
    w.submit("brief", "a", { gpus: 1 });
    w.submit("stretchy", "a", { members: "1..4", gpus: 1 });
    for (const id of ["wall", "brief", "stretchy"]) w.run(id);
    w.submit("next", "b", { gpus: 3 });
    w.exit("brief", 0);
    assert.deepEqual([members(w, "stretchy"), w.state.planned.size], [1, 1]);
    w.must({ kind: "job.cancel", job: jobId("next") });
    assert.equal(members(w, "stretchy"), 2);
  });
});

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

const nodesOf = (w: World, id: string) =>
  w.state.jobById
    .get(jobId(id))!
    .leases.map(({ node }) => node as number)
    .sort();
const racksOf = (w: World, id: string) =>
  nodesOf(w, id)
    .map((node) => w.state.fleet.nodes[node]!.facts.place.rack)
    .sort();
