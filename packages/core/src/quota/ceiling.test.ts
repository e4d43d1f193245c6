import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Quota } from "../model/account.ts";
import { unitsPerGpu } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { ceilingHit, lowestCeiling } from "./ceiling.ts";
import type { Demand } from "./demand.ts";

const gpu = unitsPerGpu;

/** Two models; `lab` has this quota, and its account `lab/vision` has none of its own. */
function labWith(quota: Partial<Quota>) {
  const w = new World().nodes(["h", "H100-80GB:4"], ["a", "A100:4"]);
  w.account("lab", { quota: { guarantee: {}, weight: 1, ...quota } }).account("lab/vision");
  const { state } = w;
  const [h100, a100] = ["H100-80GB", "A100"].map((name) => state.fleet.modelNo(name, 0)) as [number, number];
  const vision = state.accountByPath.get("lab/vision")!.no;
  const hit = (demand: Partial<Demand>) => {
    const full = { model: h100, units: 0, memoryUnits: 0, cpusMilli: 0, memoryMiB: 0, ...demand };
    const found = ceilingHit(state, vision, full);
    return found && { path: found.account.path, what: found.what, max: found.maxUnits, used: found.usedUnits };
  };
  return { w, hit, vision, h100, a100 };
}

describe("a max", () => {
  it("[C5] of an account above holds for the jobs below, and names the account and its usage", () => {
    const { w, hit } = labWith({ max: { "*": 2 * gpu } });
    assert.equal(hit({ units: 2 * gpu, memoryUnits: 2 * gpu }), undefined);
    w.submit("x", "lab/vision");
    assert.equal(hit({ units: gpu, memoryUnits: gpu }), undefined);
    assert.deepEqual(hit({ units: gpu + 1 }), { path: "lab", what: "*", max: 2 * gpu, used: gpu });
  });

  it("[C5] counts jobs that are stopping until they have stopped", () => {
    const { w } = labWith({ max: { "*": gpu } });
    w.submit("x", "lab/vision");
    w.run("x");
    w.submit("y", "lab");
    w.must({ kind: "job.cancel", job: w.state.jobById.get("job_x" as never)!.id });
    assert.deepEqual([w.stateOf("x"), w.stateOf("y")], ["stopping", "waiting"]);
    w.exit("x", 143);
    assert.equal(w.stateOf("y"), "starting");
  });

  it("[C5, U1] bounds GPU memory by the same number as compute", () => {
    const { hit } = labWith({ max: { "*": gpu } });
    assert.equal(hit({ units: 1, memoryUnits: gpu }), undefined);
    assert.equal(hit({ units: 1, memoryUnits: gpu + 1 })?.what, "*");
  });

  it("[C5, U2] by model holds for its variants only, in both dimensions", () => {
    const { hit, a100 } = labWith({ max: { H100: gpu } });
    assert.equal(hit({ units: gpu, memoryUnits: gpu }), undefined);
    assert.deepEqual(hit({ units: 2 * gpu }), { path: "lab", what: "H100", max: gpu, used: 0 });
    assert.equal(hit({ units: 1, memoryUnits: 2 * gpu })?.what, "H100");
    assert.equal(hit({ model: a100, units: 4 * gpu, memoryUnits: 4 * gpu }), undefined);
  });

  it("[C5] of cores or memory holds for jobs without GPUs too", () => {
    const { hit } = labWith({ maxCpusMilli: 1_000, maxMemoryMiB: 10 });
    assert.equal(hit({ model: -1, cpusMilli: 1_000, memoryMiB: 10 }), undefined);
    assert.equal(hit({ model: -1, cpusMilli: 1_001 })?.what, "cpus");
    assert.equal(hit({ model: -1, memoryMiB: 11 })?.what, "memory");
  });

  it("[C5] for a model is the lowest of all entries on the path", () => {
    const { w, vision } = labWith({ max: { H100: 3 * gpu, "*": 2 * gpu } });
    assert.equal(lowestCeiling(w.state, vision, "H100-80GB")?.units, 2 * gpu);
    assert.equal(lowestCeiling(w.state, vision, "A100")?.units, 2 * gpu);
    w.account("free");
    assert.equal(lowestCeiling(w.state, w.state.accountByPath.get("free")!.no, "A100"), undefined);
  });
});
