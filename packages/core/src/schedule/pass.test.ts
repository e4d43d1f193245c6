import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { World } from "../testing/world.ts";

describe("a scheduling pass", () => {
  it("[T7] makes room for no more elements of an array than may run at once", () => {
    const w = new World().nodes(["n0", "H100:3"]).account("owner", { guarantee: 3 }).account("guest");
    for (const id of ["g1", "g2", "g3"]) w.submit(id, "guest");
    for (const id of ["g1", "g2", "g3"]) w.run(id);
    w.submit("frames", "owner", { array: "1-3%1" });
    assert.equal([...w.state.jobs.values()].filter((job) => job.state === "stopping").length, 1);
  });
});
