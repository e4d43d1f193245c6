import assert from "node:assert/strict";
import test from "node:test";
import type { FleetNodeShape } from "@tessera/wire";
import { largestGangs } from "./gangs.ts";
import { summarise } from "./summary.ts";

const node = (name: string, rack: string, cells: string, mode: FleetNodeShape["mode"] = "up"): FleetNodeShape => ({
  name,
  zone: "z",
  block: "b",
  rack,
  nvlink: name,
  model: "H100",
  mode,
  cells,
});

test("the largest gang counts whole free GPUs of nodes that take work, in each shape", () => {
  const nodes = [
    node("a", "r1", "gg.."),
    node("b", "r1", "..G."),
    node("c", "r2", "...."),
    node("d", "r2", "....", "cordoned"),
  ];
  const [{ sizes }] = largestGangs(nodes) as [ReturnType<typeof largestGangs>[number]];
  assert.deepEqual(sizes.node, { gpus: 4, at: "c" });
  assert.deepEqual(sizes.rack, { gpus: 5, at: "r1" });
  assert.equal(sizes.fleet.gpus, 9);
});

test("a gang is never larger than one engine has room for, also where places of two engines have one name", () => {
  const of = (engine: string, name: string) => ({ ...node(`${engine}/${name}`, "r1", "...."), engine });
  const [{ sizes }] = largestGangs([of("east", "a"), of("east", "b"), of("west", "a")]) as [
    ReturnType<typeof largestGangs>[number],
  ];
  assert.deepEqual(sizes.rack, { gpus: 8, at: "east/r1" });
  assert.deepEqual(sizes.fleet, { gpus: 8, at: "east" });
});

test("the summary counts each GPU once", () => {
  const { gpus, guaranteed, burst, idle, unusable, others, leaving } = summarise([
    node("a", "r", "ggBl"),
    node("b", "r", "x...", "down"),
    node("c", "r", "..", "unknown"),
  ]);
  assert.deepEqual([gpus, guaranteed, burst, leaving, others, idle, unusable], [10, 2, 1, 1, 1, 0, 5]);
});
