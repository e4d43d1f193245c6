import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Policy, plainPolicy } from "../model/policy.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";

const scrubbing: Policy = { ...plainPolicy, minRuntimeMs: 0, scrubMs: 10_000, reshapeMs: 15_000 };

function world(): World {
  const w = new World();
  w.must({ kind: "policy.set", policy: scrubbing });
  w.nodes(["n0", "H100:2"]);
  return w.account("lab").account("mill");
}

const leaseOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!.leases[0]!;
const scrubs = (w: World, id: string) => leaseOf(w, id).handover?.scrub ?? [];

describe("handing a GPU over", () => {
  it("[S4, P6] needs a recorded scrub between two tenants, and none inside one", () => {
    const w = world();
    w.submit("a", "lab", { gpus: 2 });
    assert.deepEqual(scrubs(w, "a"), [], "no job had them before");
    w.run("a");
    w.exit("a", 0);
    w.submit("b", "lab", { gpus: 2 });
    assert.deepEqual(scrubs(w, "b"), []);
    w.run("b");
    w.exit("b", 0);
    w.submit("c", "mill", { gpus: 2 });
    assert.deepEqual(scrubs(w, "c"), [0, 1]);
    const recorded = w.report("c", { kind: "scrubbed", how: "reset" });
    assert.deepEqual(
      recorded.map((event) => event.kind),
      ["lease-scrubbed"],
    );
    assert.deepEqual(scrubs(w, "c"), []);
    w.run("c");
    assert.equal(leaseOf(w, "c").state, "running");
  });

  it("[S4, P6] prefers a node that needs no scrub over another with as much room", () => {
    const w = new World();
    w.must({ kind: "policy.set", policy: scrubbing });
    w.nodes(["n0", "H100:2"], ["n1", "H100:2"], ["n2", "H100:2"]).account("lab").account("mill");
    for (const id of ["a", "b"]) {
      w.submit(id, "lab", { gpus: 2 });
      w.run(id);
    }
    for (const id of ["a", "b"]) w.exit(id, 0);
    w.submit("c", "mill", { gpus: 2 });
    assert.deepEqual([leaseOf(w, "c").node, scrubs(w, "c")], [2, []]);
    w.submit("d", "lab", { gpus: 2 });
    assert.deepEqual([leaseOf(w, "d").node, scrubs(w, "d")], [0, []]);
    w.submit("e", "mill", { gpus: 2 });
    assert.deepEqual([leaseOf(w, "e").node, scrubs(w, "e")], [1, [2, 3]]);
  });

  it("[S4, P6] takes GPUs that need no scrub first", () => {
    const w = world();
    w.submit("a", "lab");
    w.run("a");
    w.exit("a", 0);
    w.submit("b", "mill");
    assert.deepEqual(leaseOf(w, "b").gpus, [1]);
    assert.deepEqual(scrubs(w, "b"), []);
  });

  it("[S4, P6] still needs the scrub when the next job leaves before it was done", () => {
    const w = world();
    w.submit("a", "lab", { gpus: 2 });
    w.run("a");
    w.exit("a", 0);
    w.submit("b", "mill", { gpus: 2 });
    w.must({ kind: "job.cancel", job: jobId("b") });
    w.report("b", { kind: "exited", ran: false });
    w.submit("c", "mill", { gpus: 2 });
    assert.deepEqual(scrubs(w, "c"), [0, 1]);
  });

  it("[S4, P6] starts nothing when the engine leaves the scrub out", () => {
    const w = world();
    w.submit("a", "lab");
    w.run("a");
    w.exit("a", 0);
    w.submit("b", "mill", { gpus: 2 });
    w.report("b", { kind: "prepared", engineId: "e", enforcement: {} });
    assert.equal(w.state.jobById.get(jobId("b"))!.state, "stopping");
  });

  it("keeps what the engine made of a GPU for a lease, also in a snapshot", () => {
    const w = world();
    w.submit("a", "lab");
    w.report("a", { kind: "prepared", engineId: "e", enforcement: {}, devices: ["MIG-1"] });
    assert.deepEqual(leaseOf(w, "a").devices, ["MIG-1"]);
    const again = readSnapshot(writeSnapshot(w.state));
    assert.deepEqual(again.jobById.get(jobId("a"))!.leases[0]!.devices, ["MIG-1"]);
  });

  it("[S4, P6] puts a node whose scrub fails into quarantine, and starts the job elsewhere", () => {
    const w = world();
    w.nodes(["n0", "H100:2"], ["n1", "H100:2"]);
    w.submit("a", "lab", { gpus: 2 });
    w.run("a");
    w.exit("a", 0);
    w.submit("first", "lab", { gpus: 2 });
    w.run("first");
    w.submit("b", "mill", { gpus: 2 });
    w.run("b");
    w.exit("first", 0);
    w.submit("c", "mill", { gpus: 2 });
    w.report("c", { kind: "scrub-failed", reason: "GPU-0 does not answer" });
    assert.equal(w.state.fleet.nodes[0]!.mode, "cordoned");
    assert.match(w.state.fleet.nodes[0]!.reason, /quarantine: GPU-0/);
    const job = w.state.jobById.get(jobId("c"))!;
    assert.deepEqual([job.state, job.attempts[0]!.result], ["waiting", "node_lost"]);
    w.exit("b", 0);
    assert.equal(leaseOf(w, "c").node, 1);
  });

  it("[S4, P6] needs no scrub inside one trust group, or after a reboot of the machine", () => {
    const w = new World();
    w.must({ kind: "policy.set", policy: scrubbing });
    w.nodes(["n0", "H100:2"]);
    w.account("lab", { trustGroup: "ours" }).account("mill", { trustGroup: "ours" }).account("far");
    w.submit("a", "lab", { gpus: 2 });
    w.run("a");
    w.exit("a", 0);
    w.submit("b", "mill", { gpus: 2 });
    assert.deepEqual(scrubs(w, "b"), []);
    w.run("b");
    w.exit("b", 0);
    const { facts } = w.state.fleet.nodes[0]!;
    w.must({ kind: "node.register", nodes: [{ ...facts, bootId: "another" }] });
    w.submit("c", "far", { gpus: 2 });
    assert.deepEqual(scrubs(w, "c"), []);
  });

  it("[S4, P6] needs a scrub of GPUs that were in use before the policy asked for scrubs", () => {
    const w = new World();
    w.nodes(["n0", "H100:2"]).account("lab");
    w.submit("before", "lab");
    w.must({ kind: "job.cancel", job: jobId("before") });
    w.report("before", { kind: "exited", ran: false });
    w.must({ kind: "policy.set", policy: scrubbing });
    w.submit("a", "lab", { gpus: 2 });
    assert.deepEqual(scrubs(w, "a"), [0, 1]);
    const text = writeSnapshot(w.state);
    assert.equal(writeSnapshot(readSnapshot(text)), text);
  });

  it("[P3] changes the mode of an idle GPU where its pool allows it, at its cost; never of one in use", () => {
    const w = new World();
    w.must({ kind: "policy.set", policy: scrubbing });
    w.nodes(["n0", "A100-80GB:1"]).account("lab");
    w.must({ kind: "node.register", nodes: [{ ...w.state.fleet.nodes[0]!.facts, pool: "any" }] });
    w.submit("a", "lab", { gpus: "1g.10gb" });
    assert.deepEqual(leaseOf(w, "a").handover, { scrub: [], reshape: [0] });
    w.report("a", { kind: "reshaped", how: "cut" });
    w.run("a");
    w.submit("b", "lab", { gpus: "1g.10gb" });
    assert.equal(leaseOf(w, "b").handover, undefined, "it is cut already");
  });
});
