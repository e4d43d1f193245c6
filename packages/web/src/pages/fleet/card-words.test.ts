import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { spellShare } from "../../format/numbers.ts";
import { cardWords } from "./card-words.ts";

const node: FleetNodeShape = {
  name: "n1",
  zone: "z1",
  block: "b1",
  rack: "r1",
  nvlink: "n1",
  model: "H100",
  mode: "up",
  cells: "ggB.",
  tenants: ["lab"],
  holders: [0, 0, -1, -1],
};
const known = [
  { index: 0, free: 0, jobs: ["job_1"], names: ["train"] },
  { index: 1, free: 0, jobs: ["job_1"], names: ["train"] },
  { index: 2, free: 0.5, jobs: [], names: [] },
  { index: 3, free: 1, jobs: [], names: [] },
];

describe("the card of the map", () => {
  it("says of a GPU where it is, what holds it, and for which account", () => {
    assert.deepEqual(cardWords(node, 1, known), {
      title: "n1, GPU 1",
      place: "H100 / z1 / b1 / r1",
      state: "guaranteed",
      account: "lab",
      jobs: "train",
    });
    assert.deepEqual(cardWords(node, 2, known), {
      title: "n1, GPU 2",
      place: "H100 / z1 / b1 / r1",
      state: `burst, ${spellShare(0.5, 1)} free`,
      account: undefined,
      jobs: undefined,
    });
  });

  it("says of a node how many of its GPUs are in which state, and names each job once", () => {
    const words = cardWords(node, undefined, known);
    assert.equal(words.place, "4 × H100 / z1 / b1 / r1");
    assert.equal(words.state, "2 guaranteed, 1 burst, 1 idle");
    assert.equal(words.jobs, "train");
    const down = cardWords({ ...node, mode: "down", cells: "....", holders: [-1, -1, -1, -1] }, undefined, []);
    assert.equal(down.state, "down");
  });

  it("names three of many jobs", () => {
    const jobs = ["a", "b", "c", "d", "e"];
    assert.equal(cardWords(node, 0, [{ index: 0, free: 0, jobs, names: jobs }]).jobs, "a, b, c and 2 others");
  });
});
