import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unitsPerGpu } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { type Held, nothingHeld } from "./held.ts";
import { compareShares, shareOf } from "./share.ts";

const gpus = 8;
const quarter = unitsPerGpu / 4;

/** Four GPUs of each of two models, and an account with a guarantee of two of the first. */
function ground() {
  const quota = { guarantee: { H100: 2 * unitsPerGpu }, weight: 1 };
  const { state } = new World().nodes(["h", "H100:4"], ["a", "A100:4"]).account("lab", { quota });
  const [h100, a100] = ["h", "a"].map((name) => state.fleet.soleModel(state.fleet.nodeByName.get(`test/${name}`)!));
  return { state, lab: state.accountByPath.get("lab")!, h100: h100!, a100: a100! };
}

/** A holding of parts of one model, with this compute and memory. */
function parts(model: number, compute: number, memory: number): Held {
  const held = nothingHeld();
  held.units = compute;
  held.memoryUnits = memory;
  for (let no = 0; no <= model; no++) {
    held.byModel[no] = no === model ? compute : 0;
    held.moreMemory[no] = no === model ? memory - compute : 0;
  }
  return held;
}

describe("the share of an account", () => {
  it("[U1, U2] counts GPU memory of a model that the guarantee does not name, even if the sum is within it", () => {
    const { state, lab, a100 } = ground();
    const { borrowed, of } = shareOf(state, lab, parts(a100, quarter, 3 * quarter));
    assert.deepEqual({ borrowed, of }, { borrowed: 3 * quarter, of: gpus * unitsPerGpu });
  });

  it("[U1, U2] counts nothing of the guaranteed model up to the guarantee, in either dimension", () => {
    const { state, lab, h100 } = ground();
    assert.equal(shareOf(state, lab, parts(h100, quarter, 2 * unitsPerGpu)).borrowed, 0);
    assert.equal(shareOf(state, lab, parts(h100, quarter, 2 * unitsPerGpu + quarter)).borrowed, quarter);
    assert.equal(shareOf(state, lab, parts(h100, 2 * unitsPerGpu + quarter, quarter)).borrowed, quarter);
  });

  it("[U1, O2] with the next job added is the larger of compute and memory", () => {
    const { state, lab, a100 } = ground();
    const next = { model: a100, units: quarter, memoryUnits: 2 * quarter, cpusMilli: 0, memoryMiB: 0 };
    const before = shareOf(state, lab, parts(a100, quarter, quarter));
    const after = shareOf(state, lab, parts(a100, quarter, quarter), next);
    assert.equal(after.borrowed, 3 * quarter);
    assert.ok(compareShares(before, after) < 0);
  });
});
