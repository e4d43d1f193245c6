import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";
import { alternativesFor } from "../why/alternatives.ts";
import { outlookOf } from "../why/outlook.ts";
import { reasonFor } from "../why/reason-for.ts";

function world(): World {
  return new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]).account("lab").account("other");
}

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;
const nodesOf = (w: World, id: string) => jobOf(w, id).leases.map(({ node }) => node as number);

describe("jobs that are to be kept apart", () => {
  it("[P8] share no node, whichever of the two says so and whichever comes first", () => {
    for (const [first, second] of [
      [{ name: "db" }, { name: "web", apart_from: "db" }],
      [{ name: "web", apart_from: "db" }, { name: "db" }],
    ] as const) {
      const w = world();
      w.submit("a", "lab", first);
      w.submit("b", "lab", second);
      w.submit("c", "lab", { name: "else" });
      w.submit("d", "other", { name: "db" });
      assert.deepEqual(
        ["a", "b", "c", "d"].flatMap((id) => nodesOf(w, id)),
        [0, 1, 0, 0],
      );
    }
  });

  it("[P8] may be copies of one name: each has a node of its own, and waits where there is none", () => {
    const w = world();
    for (const id of ["a", "b", "c"]) w.submit(id, "lab", { name: "replica", apart_from: ["replica"] });
    w.submit("d", "lab", { name: "plain" });
    assert.deepEqual(
      [nodesOf(w, "a"), nodesOf(w, "b"), w.stateOf("c"), w.stateOf("d")],
      [[0], [1], "waiting", "starting"],
    );
    const reason = reasonFor(w.state, jobOf(w, "c"), w.now);
    assert.deepEqual(reason, { kind: "shape", values: { cause: "apart-from", names: ["replica"] }, needed: 1 });
    assert.equal(writeSnapshot(readSnapshot(writeSnapshot(w.state))), writeSnapshot(w.state));
    w.run("a").exit("a", 0);
    assert.deepEqual(nodesOf(w, "c"), [0]);
  });

  it("[W3] see in explain that one waits only because of the other", () => {
    const w = world();
    w.submit("db", "lab", { name: "db", nodes: 2 });
    w.submit("web", "lab", { name: "web", apart_from: "db" });
    const own = outlookOf(w.state, jobOf(w, "web"), w.now);
    const [found] = alternativesFor(w.state, jobOf(w, "web"), w.now, own, { offers: () => true, mayRaise: false });
    assert.deepEqual([own.when, found?.field, found?.outlook.when], ["unknown", "apart_from", "now"]);
  });

  it("[P8] do not hold up a third job with the same request when one of them must wait", () => {
    const w = world();
    w.submit("wall0", "other", { gpus: 3, name: "wall" });
    w.submit("lone", "lab", { name: "lone", apart_from: "db", gpus: 3 });
    w.submit("wall1", "other", { name: "wall" });
    assert.deepEqual([nodesOf(w, "lone"), nodesOf(w, "wall1")], [[1], [0]]);
    w.submit("db", "lab", { name: "db" });
    w.submit("free", "lab", { name: "free" });
    assert.deepEqual([w.stateOf("db"), w.stateOf("free")], ["waiting", "starting"]);
  });

  it("[P8] may have their own members on one node, and grow only on nodes without the other", () => {
    const w = world();
    w.submit("db", "lab", { name: "db", gpus: 3 });
    w.submit("gang", "lab", { name: "gang", members: "2..8", apart_from: ["db", "gang"] });
    assert.deepEqual(nodesOf(w, "gang"), [1, 1, 1, 1]);
  });

  it("[P8] are kept apart on parts of GPUs too, and until a stopping job has left", () => {
    const w = new World();
    w.nodes(["n0", "H100:1"], ["n1", "H100:1"]);
    const nodes = w.state.fleet.nodes.map((node) => ({ ...node!.facts, pool: "any" as const }));
    w.must({ kind: "node.register", nodes });
    w.account("lab");
    for (const id of ["a", "b"]) w.submit(id, "lab", { name: id, gpus: "0.3", isolation: "mps", apart_from: "a" });
    assert.deepEqual([nodesOf(w, "a"), nodesOf(w, "b")], [[0], [1]]);
    w.run("a").must({ kind: "job.cancel", job: jobId("a") });
    w.submit("c", "lab", { name: "c", gpus: "0.3", isolation: "mps", apart_from: ["a", "b"] });
    assert.equal(w.stateOf("c"), "waiting");
    w.report("a", { kind: "exited", ran: true, signal: "SIGTERM" });
    assert.deepEqual(nodesOf(w, "c"), [0]);
  });
});
