import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";

describe("a scheduling pass", () => {
  it("[T7] makes room for no more elements of an array than may run at once", () => {
    const w = new World().nodes(["n0", "H100:3"]).account("owner", { guarantee: 3 }).account("guest");
    for (const id of ["g1", "g2", "g3"]) w.submit(id, "guest");
    for (const id of ["g1", "g2", "g3"]) w.run(id);
    w.submit("frames", "owner", { array: "1-3%1" });
    assert.equal([...w.state.jobs.values()].filter((job) => job.state === "stopping").length, 1);
  });

  it("[T4] takes borrowed work of another account before work of the claimant's own, whichever loses less", () => {
    const w = new World().nodes(["n0", "H100:3"]).account("owner", { guarantee: 2 }).account("guest");
    for (const id of ["g1", "g2"]) w.submit(id, "guest");
    for (const id of ["g1", "g2"]) w.run(id);
    w.tick(hour);
    w.submit("own", "owner", { priority: "low" });
    w.run("own").submit("urgent", "owner", { priority: "high" });
    assert.deepEqual(["g1", "g2"].map((id) => w.stateOf(id)).toSorted(), ["running", "stopping"]);
    assert.equal(w.stateOf("own"), "running");
  });

  it("[B7] lets a job use the guarantee that a planned job counts on, where it goes first by the order", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab", { guarantee: 4 }).account("guest");
    w.account("lab/a", { max: 4 }).account("lab/b");
    w.submit("first", "lab/a", { gpus: 2, max_time: "10m" });
    w.submit("lent", "guest", { gpus: 2 });
    w.run("first").run("lent").submit("all", "lab/a", { gpus: 4, max_time: "10m" });
    const startOfAll = () => w.memory.startsAt.get(w.state.jobById.get(jobId("all"))!);
    assert.equal(startOfAll(), w.now + 10 * minute);
    w.submit("small", "lab/b", { gpus: 2, max_time: "20m" });
    assert.equal(w.stateOf("lent"), "stopping");
    w.exit("lent", 143);
    assert.equal(w.stateOf("small"), "starting");
    assert.equal(startOfAll(), w.now + 20 * minute);
  });
});
