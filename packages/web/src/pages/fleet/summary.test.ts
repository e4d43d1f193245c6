import assert from "node:assert/strict";
import { test } from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { legendOf, wordsBy } from "./colours.ts";
import { summarise } from "./summary.ts";

test("GPUs are counted as the server counts them: parts as parts, and idle only what any job may have", () => {
  const node = (cells: string, mode: FleetNodeShape["mode"], parts?: FleetNodeShape["parts"]): FleetNodeShape => ({
    ...{ name: cells, model: "H100", mode, cells, zone: "z", block: "b", rack: "r", nvlink: "n" },
    ...(parts !== undefined && { parts }),
  });
  const nodes = [
    node("gB.r", "up", { 1: { b: 0.25, g: 0.5, ".": 0.25 } }),
    node("xlw.", "up"),
    node("G.", "cordoned", { 0: { g: 0.5, ".": 0.5 } }),
  ];
  assert.deepEqual(summarise(nodes), {
    ...{ nodes: 3, gpus: 10, nodesUp: 2, guaranteed: 2, burst: 0.25, leaving: 1, others: 1 },
    ...{ idle: 2.25, reserved: 1, unusable: 2.5 },
  });
  const legend = legendOf(nodes, "class", wordsBy("class", undefined));
  assert.deepEqual(Object.fromEntries(legend.map(({ word, gpus }) => [word, gpus])), {
    ...{ guaranteed: 2, burst: 0.25, leaving: 1, "other tenants": 1 },
    ...{ idle: 2.25, reserved: 1, withheld: 1, cordoned: 1.5 },
  });
});
