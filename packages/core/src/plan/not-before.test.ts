import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { expected } from "../why/rehearse.ts";

describe("a job that must not start yet", () => {
  const at = (w: World, id: string) => {
    const outlook = expected(w.state, w.state.jobById.get(jobId(id))!, w.now);
    return outlook.when === "later" ? outlook.at : outlook.when;
  };

  it("[B3] is planned for its time where there is room then, else for when there is", () => {
    const w = new World().nodes(["n", "H100:2"]).account("lab");
    w.submit("wall", "lab", { gpus: 1, max_time: "2h" });
    w.run("wall");
    w.submit("one", "lab", { gpus: 1, max_time: "1h", notBeforeAt: w.now + hour });
    w.submit("two", "lab", { gpus: 2, notBeforeAt: w.now + hour });
    w.submit("late", "lab", { gpus: 2, notBeforeAt: w.now + 3 * hour });
    assert.deepEqual([at(w, "one"), at(w, "two"), at(w, "late")], [w.now + hour, w.now + 2 * hour, w.now + 3 * hour]);
  });

  it("[B3] comes behind earlier plans, and has no planned start where no end is known", () => {
    const w = new World().nodes(["n", "H100:2"]).account("lab");
    w.submit("wall", "lab", { gpus: 2, max_time: "1h" });
    w.run("wall").submit("next", "lab", { gpus: 2, max_time: "1h" });
    w.submit("then", "lab", { gpus: 2, notBeforeAt: w.now + 30 * minute });
    assert.equal(at(w, "then"), w.now + 2 * hour);
    const full = new World().nodes(["n", "H100:1"]).account("lab");
    full.submit("open", "lab");
    full.run("open").submit("then", "lab", { notBeforeAt: full.now + hour });
    assert.equal(at(full, "then"), "unknown");
  });
});
