import assert from "node:assert/strict";
import { it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { nodeOf, World } from "../testing/world.ts";
import { possibleParts } from "./possible-parts.ts";

function found(w: World, raw: Partial<RawJob>, account = "lab"): string[] {
  const spec = parseJob({ run: "true", ...raw }, { after: [] });
  if (isRefusal(spec)) throw new Error(spec.detail);
  const { no } = w.state.accountByPath.get(account)!;
  return possibleParts(w.state, no, spec).map(({ seat: { mode, profile, compute }, memoryMiB }) =>
    [mode, profile ?? compute, memoryMiB].join(" "),
  );
}

it("[P3] a part can be what each mode of the nodes that the job may use makes of it, each once", () => {
  const w = new World().account("lab").account("guest", { trust: "untrusted" });
  const pools = ["any", "mig", "mig", "whole"] as const;
  const nodes = pools.map((pool, i) => ({ ...nodeOf(`n${i}`, "H100-80GB:2"), pool }));
  const labels = { tier: "slices" };
  w.must({ kind: "node.register", nodes: [...nodes, { ...nodeOf("s0", "H100-80GB:1"), labels }] });
  w.must({
    ...{ kind: "pool.create", name: "slices" },
    terms: { labels, perMille: 1000, mode: "timeslice", ratio: 4, trust: "trusted" },
  });
  const { memoryMiB } = nodes[0]!.gpus[0]!;
  const quarter = Math.floor(memoryMiB / 4);
  assert.deepEqual(found(w, { gpus: 0.25 }), [
    "mig 2g.20gb 20090",
    `mps 5250 ${quarter}`,
    `timeslice 5250 ${quarter}`,
    `timeslice 1312 ${Math.floor((1_312 * memoryMiB) / 21_000)}`,
  ]);
  assert.deepEqual(found(w, { gpus: 0.25, where: labels }), [
    `timeslice 1312 ${Math.floor((1_312 * memoryMiB) / 21_000)}`,
  ]);
  assert.deepEqual(found(w, { gpus: 0.25, where: labels }, "guest"), []);
  assert.deepEqual(found(w, { gpus: "1g.10gb" }), ["mig 1g.10gb 9984"]);
  assert.deepEqual(found(w, { gpus: 0.25, isolation: "mps" }), [`mps 5250 ${quarter}`]);
  assert.deepEqual(found(w, { gpus: 2 }), []);
});
