import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unitsPerGpu } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { reasonFor } from "./reason-for.ts";
import { freeGpus, unfitShapes } from "./shapes.ts";

describe("free GPUs and the shapes that they do not fit", () => {
  function scattered(): World {
    const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:4"], ["n2", "A100:2"]).account("lab");
    for (const node of ["n0", "n1"]) w.must({ kind: "node.cordon", node: node === "n0" ? "n1" : "n0", reason: "" });
    for (const node of ["n0", "n1"]) {
      w.must({ kind: "node.up", node });
      w.submit(`on-${node}`, "lab", { gpus: "H100:2" });
      w.run(`on-${node}`);
      w.must({ kind: "node.cordon", node, reason: "" });
    }
    for (const node of ["n0", "n1"]) w.must({ kind: "node.up", node });
    return w;
  }

  it("tells what is free and in pieces of which size", () => {
    const w = scattered();
    w.must({ kind: "node.cordon", node: "n2", reason: "" });
    assert.deepEqual(freeGpus(w.state), [{ model: "H100", units: 4 * unitsPerGpu, gpus: 4, nodes: new Map([[2, 2]]) }]);
  });

  it("names the shapes of waiting jobs for which enough is free, but not together", () => {
    const w = scattered();
    for (const id of ["a", "b"]) w.submit(id, "lab", { gpus: "H100:4" });
    w.submit("too-large", "lab", { gpus: "H100:4", members: 2 });
    const unfit = unfitShapes(w.state, w.state.jobs.values(), w.now);
    assert.deepEqual(
      unfit.map(({ jobs, reason }) => [jobs, reason.values.cause]),
      [[2, "one-node"]],
    );
  });

  it("tells on how many of the free GPUs members fit", () => {
    const w = scattered();
    w.submit("whole", "lab", { gpus: "H100:4" });
    const amounts = (id: string) => {
      const { kind, needed, fits, free } = reasonFor(w.state, w.job(id), w.now);
      return { kind, needed, fits, free };
    };
    assert.deepEqual(amounts("whole"), { kind: "shape", needed: 4, fits: 2, free: 4 });
  });
});
