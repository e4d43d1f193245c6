import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour } from "../model/units.ts";
import { World } from "../testing/world.ts";

/** Four GPUs, each held by a job of ten hours; a job for all four waits. */
function busy(): World {
  const w = new World().nodes(["n", "H100:4"]).account("a", { order: "aged-shortest" });
  for (const id of ["s0", "s1", "s2", "s3"]) {
    w.submit(id, "a", { gpus: 1, expected_time: "10h" });
    w.run(id);
  }
  w.submit("wide", "a", { gpus: 4, expected_time: "10h" });
  return w;
}

describe("plans in an account that orders by length", () => {
  it("[B1] are not made at once", () => {
    assert.equal(busy().state.planned.size, 0);
  });

  it("[B1] are made for a job that has waited for thirty usual run times, as run times compare with their guesses", () => {
    const w = busy();
    w.tick(47 * hour);
    w.exit("s0", 0); // the usual run time is now 47 h
    assert.equal(w.state.planned.size, 0);
    w.submit("s4", "a", { gpus: 1, expected_time: "10h" });
    w.run("s4").tick(30 * 47 * hour);
    w.submit("s5", "a", { gpus: 1, expected_time: "10h" }); // its arrival starts a pass
    w.exit("s1", 0);
    assert.deepEqual(
      [...w.state.planned.keys()].map(({ id }) => id),
      ["job_wide"],
    );
  });

  it("[B1] are made for an overdue job that asks for a sixth of the GPUs at most", () => {
    for (const [nodes, planned] of [
      [6, 1],
      [5, 0],
    ] as const) {
      const w = new World().account("a", { order: "aged-shortest" });
      w.nodes(...Array.from({ length: nodes }, (_, i): [string, string] => [`n${i}`, "H100:2"]));
      for (let i = 0; i < 2 * nodes; i++) {
        w.submit(`s${i}`, "a", { gpus: 1, expected_time: "100h" });
        w.run(`s${i}`);
      }
      w.submit("wide", "a", { gpus: 2, expected_time: "10h" });
      w.tick(hour);
      w.submit("early", "a", { gpus: 1, expected_time: "100h" });
      w.exit("s0", 0);
      assert.equal(w.state.planned.size, 0);
      w.tick(10 * hour); // three times its backlog of 100 minutes have passed
      w.submit("late", "a", { gpus: 1, expected_time: "100h" });
      w.exit("s1", 0);
      assert.equal(w.state.planned.size, planned, `${nodes} nodes`);
    }
  });
});
