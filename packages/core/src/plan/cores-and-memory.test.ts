import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { outlookOf } from "../why/outlook.ts";

/** Nodes have 64 cores. */
describe("cores and memory on the timeline", () => {
  const at = (w: World, id: string) => {
    const outlook = outlookOf(w.state, w.state.jobById.get(jobId(id))!, w.now);
    return outlook.when === "later" ? (outlook.at - w.now) / hour : outlook.when;
  };

  it("[B1] a start is planned for when there are cores for it too, whichever job gives them back", () => {
    const w = new World().nodes(["n", "H100:4"]).account("lab");
    w.submit("gpus", "lab", { gpus: 3, max_time: "1h", cpus: 4 });
    w.submit("cores", "lab", { gpus: 0, max_time: "2h", cpus: 50 });
    for (const id of ["gpus", "cores"]) w.run(id);
    w.submit("light", "lab", { gpus: 2, cpus: 8, max_time: "1h" });
    w.submit("heavy", "lab", { gpus: 2, cpus: 40 });
    assert.deepEqual([at(w, "light"), at(w, "heavy")], [1, 2]);
  });

  it("[B1] earlier plans keep their memory", () => {
    const w = new World().nodes(["n", "H100:4"]).account("lab");
    w.submit("wall", "lab", { gpus: 4, max_time: "1h", memory: "100GiB" });
    w.run("wall").submit("first", "lab", { gpus: 1, memory: "300GiB", max_time: "3h" });
    w.submit("second", "lab", { gpus: 1, memory: "300GiB" });
    assert.deepEqual([at(w, "first"), at(w, "second")], [1, 4]);
  });
});
