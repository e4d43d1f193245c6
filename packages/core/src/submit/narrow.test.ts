import assert from "node:assert/strict";
import { it } from "node:test";
import { isRefusal, mistakesOf } from "../journal/refusal.ts";
import { labelsAskedMax, parseNarrow } from "./narrow.ts";

it("reads an engine, a region and labels in the order of their keys", () => {
  assert.deepEqual(
    parseNarrow({ engine: "east-1", region: "eu", where: { tier: "", "nvidia.com/gpu.clique": "a.0" } }),
    {
      engine: "east-1",
      region: "eu",
      where: { "nvidia.com/gpu.clique": "a.0", tier: "" },
    },
  );
  assert.deepEqual(parseNarrow({ engine: "k8s", where: {} }), { engine: "k8s", region: undefined, where: undefined });
});

it("tells of everything that is wrong with them, with the field and its value", () => {
  const refusal = parseNarrow({ engine: "East", region: "", where: { "-a": "1", b: "x\ny" } });
  assert.ok(isRefusal(refusal));
  assert.deepEqual(
    mistakesOf(refusal).map(({ field, value }) => [field, value]),
    [
      ["engine", "East"],
      ["region", ""],
      ["where.-a", "1"],
      ["where.b", "x\ny"],
    ],
  );
});

it("takes a limited number of labels", () => {
  const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
  assert.equal(isRefusal(parseNarrow({ where: labels(labelsAskedMax) })), false);
  assert.equal(isRefusal(parseNarrow({ where: labels(labelsAskedMax + 1) })), true);
});
