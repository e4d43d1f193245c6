import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute } from "../model/units.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";
import { expected } from "../why/rehearse.ts";

function shared(pool: "mig" | "mps", ...nodes: [name: string, gpus: string][]): World {
  const w = new World().account("lab");
  w.must({ kind: "node.register", nodes: nodes.map(([name, gpus]) => ({ ...nodeOf(name, gpus), pool })) });
  return w;
}

function startIn(w: World, id: string): number | undefined {
  const outlook = expected(w.state, w.state.jobById.get(jobId(id))!, w.now);
  return outlook.when === "later" ? outlook.at - w.now : undefined;
}

describe("planned starts on parts of GPUs", () => {
  it("[B1, B3] a part is planned for when enough of a GPU is free, and the next one behind it", () => {
    const w = shared("mps", ["n0", "H100:1"]);
    w.submit("a", "lab", { gpus: 0.5, max_time: "1h" });
    w.submit("b", "lab", { gpus: 0.5, max_time: "2h" });
    w.run("a").run("b");
    w.submit("c", "lab", { gpus: 0.5, max_time: "30m" });
    w.submit("d", "lab", { gpus: 0.5, max_time: "1h" });
    w.submit("e", "lab", { gpus: 1, max_time: "1h" });
    assert.deepEqual([startIn(w, "c"), startIn(w, "d")], [hour, hour + 30 * minute]);
    // When all of a shared GPU is free is not predicted.
    assert.equal(startIn(w, "e"), undefined);
  });

  it("[B1, P3] a profile is planned where its slices will lie right", () => {
    const w = shared("mig", ["n0", "H100:1"]);
    for (const [id, time] of [
      ["a", "1h"],
      ["b", "2h"],
    ] as const)
      w.submit(id, "lab", { gpus: "3g.40gb", max_time: time });
    w.run("a").run("b");
    w.submit("whole", "lab", { gpus: "7g.80gb", max_time: "1h" });
    assert.equal(startIn(w, "whole"), 2 * hour);
  });

  it("[B2] a part that would still be there joins no GPU on which a larger one is planned", () => {
    const w = shared("mps", ["n0", "H100:1"], ["n1", "H100:1"]);
    w.submit("a", "lab", { gpus: 0.5, max_time: "1h" });
    w.submit("full", "lab", { gpus: 1, max_time: "9h" });
    w.run("a").run("full");
    w.submit("large", "lab", { gpus: 0.8, max_time: "1h" });
    w.submit("long", "lab", { gpus: 0.3, max_time: "2h" });
    w.submit("small", "lab", { gpus: 0.2, max_time: "2h" });
    assert.deepEqual(
      ["large", "long", "small"].map((id) => w.stateOf(id)),
      ["waiting", "waiting", "starting"],
    );
    assert.equal(startIn(w, "large"), hour);
  });

  it("[B1] a gang of parts counts all of them", () => {
    const w = shared("mps", ["n0", "H100:2"]);
    for (const id of ["a", "b"]) w.submit(id, "lab", { gpus: 0.75, max_time: id === "a" ? "1h" : "2h" });
    w.run("a").run("b");
    w.submit("gang", "lab", { gpus: 0.5, members: 3, max_time: "1h" });
    assert.equal(startIn(w, "gang"), 2 * hour);
  });
});
