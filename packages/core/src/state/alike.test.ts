import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minute } from "../model/units.ts";
import { World } from "../testing/world.ts";

describe("the classes of possible victims", () => {
  it("[T8] know when their oldest job was placed, and after it has left as soon as their jobs are listed", () => {
    const world = new World().nodes(["n1", "H100:4"]).account("lab");
    const { state } = world;
    const account = state.accountByPath.get("lab")!.no;
    const oldest = () => [...state.victimClasses.of(state, account).values()].map(({ oldestAt }) => oldestAt);
    assert.deepEqual(oldest(), []); // built here, kept up to date from now on
    const [first, second] = [world.now, world.now + minute];
    world.submit("a", "lab");
    world.tick(minute);
    world.submit("b", "lab");
    assert.deepEqual(oldest(), [first]);
    world.run("a").run("b").exit("a", 0);
    assert.deepEqual(oldest(), [first]);
    const [remaining] = state.victimClasses.of(state, account).values();
    assert.equal(remaining!.jobs.size, 1);
    assert.deepEqual(oldest(), [second]);
    world.exit("b", 0);
    assert.deepEqual(oldest(), []);
  });

  it("[T2] hold jobs with which an account loses the same amounts, and are told apart by checkpoints", () => {
    const world = new World().nodes(["n1", "H100:8"]).account("lab");
    const { state } = world;
    const account = state.accountByPath.get("lab")!.no;
    for (const id of ["a", "b"]) world.submit(id, "lab");
    world.submit("wide", "lab", { gpus: 2 });
    world.submit("saves", "lab", { checkpoint: { every: "10m" } });
    const sizes = [...state.victimClasses.of(state, account).values()].map(({ jobs }) => jobs.size);
    assert.deepEqual(sizes, [2, 1, 1]);
  });
});
