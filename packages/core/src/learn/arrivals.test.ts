import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";
import { arrivalShapeOf } from "./arrivals.ts";

/** A fleet that has seen many jobs of two GPUs; now one node has two free GPUs and another three. */
function taught(): World {
  const w = new World().nodes(["n0", "H100:8"], ["n1", "H100:8"]).account("a", { guarantee: 16 });
  for (let i = 0; i < 40; i++) {
    w.submit(`pair-${i}`, "a", { gpus: 2 });
    w.run(`pair-${i}`).exit(`pair-${i}`, 0);
  }
  w.submit("six", "a", { gpus: 6 });
  w.submit("five", "a", { gpus: 5 });
  return w;
}

const nodeOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!.seats[0]!.node;

describe("the worth of room, learned from submissions", () => {
  it("[P4] keeps a pair of free GPUs together where most jobs need two", () => {
    const w = taught();
    w.submit("one", "a", { gpus: 1 });
    assert.equal(nodeOf(w, "one"), nodeOf(w, "five"));
  });

  it("[P4] prefers the fullest node while there are too few arrivals", () => {
    const w = new World().nodes(["n0", "H100:8"], ["n1", "H100:8"]).account("a", { guarantee: 16 });
    w.submit("six", "a", { gpus: 6 });
    w.submit("five", "a", { gpus: 5 });
    w.submit("one", "a", { gpus: 1 });
    assert.equal(nodeOf(w, "one"), nodeOf(w, "six"));
    assert.equal(w.state.arrivals.worth, undefined);
  });

  it("[S26] is the same after a restart from a snapshot", () => {
    const { state } = taught();
    const text = writeSnapshot(state);
    const again = readSnapshot(text);
    assert.equal(writeSnapshot(again), text);
    assert.deepEqual(again.arrivals.worth?.weighed, state.arrivals.worth?.weighed);
  });

  it("[P4] counts a job by its first alternative", () => {
    const gpus = [{ model: "H100", count: 2, unitsEach: unitsPerGpu }];
    assert.deepEqual(arrivalShapeOf({ gpus, cpusMilli: 500 }, [1]), {
      cpusMilli: 500,
      gpus: 2,
      unitsEach: unitsPerGpu,
      models: [1],
    });
    assert.deepEqual(arrivalShapeOf({ gpus, cpusMilli: 0 }, []).models, [-1]);
    assert.deepEqual(
      arrivalShapeOf({ gpus: [{ model: "*", count: 1, unitsEach: 3_000 }], cpusMilli: 0 }, [0, 1]).models,
      [],
    );
  });
});
