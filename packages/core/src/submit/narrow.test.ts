import assert from "node:assert/strict";
import { it } from "node:test";
import { isRefusal, mistakesOf } from "../journal/refusal.ts";
import { nodeOf, World } from "../testing/world.ts";
import { withoutAll } from "./all-gpus.ts";
import { labelsAskedMax, nodesAsked, parseNarrow } from "./narrow.ts";
import { gpuOffers } from "./sizing/offers.ts";

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

it("sizes a job by the nodes that it may use", () => {
  const labels = { tier: "gold" };
  const w = new World().account("lab").account("guest");
  w.must({ kind: "node.register", nodes: [nodeOf("n0", "H100:8"), { ...nodeOf("n1", "A100:4"), labels }] });
  w.must({ kind: "pool.create", name: "gold", terms: { labels, tenants: ["lab"], perMille: 1000 } });
  const [lab, guest] = ["lab", "guest"].map((path) => w.state.accountByPath.get(path)!.no);
  const all = (account: typeof lab, raw: Parameters<typeof nodesAsked>[2]) => {
    const isAsked = nodesAsked(w.state, account, raw);
    return [withoutAll("all", w.state.fleet, isAsked), gpuOffers(w.state.fleet, isAsked).map(({ model }) => model)];
  };
  assert.deepEqual(all(lab, {}), [8, ["H100", "A100"]]);
  assert.deepEqual(all(lab, { where: labels }), [4, ["A100"]]);
  assert.deepEqual(all(guest, {}), [8, ["H100"]]);
});
