import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jobId, World } from "../testing/world.ts";

function world(): World {
  return new World().nodes(["n", "H100:4"]).account("a", { guarantee: 2 }).account("b", { guarantee: 2 });
}

const members = (w: World, id: string) =>
  w.state.jobById.get(jobId(id))?.leases.filter((lease) => lease.state !== "stopping").length;

describe("elastic gangs", () => {
  it("[P1] take at least the minimum, and what nobody else can use", () => {
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

  it("[T5] give back extra members before anybody is evicted, and go on", () => {
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
});
