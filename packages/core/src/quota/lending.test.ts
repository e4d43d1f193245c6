import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GpuAmounts } from "../model/account.ts";
import { unitsPerGpu } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { unlentBeside, unlentUnits } from "./lending.ts";

const gpu = unitsPerGpu;

function terms(guarantee: GpuAmounts, lendable?: GpuAmounts) {
  return { quota: { guarantee, weight: 1, ...(lendable !== undefined && { lendable }) } };
}

/** The units that a job of an account may not use, of all models or of a name. */
function unlentFor({ state }: World, path: string, name = "*"): number {
  return unlentUnits(state, state.accountByPath.get(path)!.no, undefined, name);
}

describe("an idle guarantee", () => {
  it("[C5] is lent up to its lendable part; the remainder stays free for its owner", () => {
    const w = new World().nodes(["n", "H100:4"]).account("guest");
    w.account("owner", terms({ "*": 3 * gpu }, { "*": gpu }));
    assert.equal(unlentFor(w, "guest"), 2 * gpu);
    for (const id of ["a", "b", "c"]) w.submit(id, "guest");
    assert.deepEqual(
      ["a", "b", "c"].map((id) => w.stateOf(id)),
      ["starting", "starting", "waiting"],
    );
    w.submit("own", "owner", { gpus: 2 });
    assert.equal(w.stateOf("own"), "starting");
  });

  it("[C5] withholds nothing from jobs of its own account, or below it", () => {
    const w = new World().nodes(["n", "H100:4"]).account("owner", terms({ "*": 3 * gpu }, {}));
    w.account("owner/team").account("guest");
    assert.deepEqual([unlentFor(w, "owner"), unlentFor(w, "owner/team"), unlentFor(w, "guest")], [0, 0, 3 * gpu]);
  });

  it("[C5] shrinks the unlent part as its owner uses it", () => {
    const w = new World().nodes(["n", "H100:4"]).account("guest");
    w.account("owner", terms({ "*": 3 * gpu }, { "*": gpu }));
    w.submit("own", "owner", { gpus: 1 });
    assert.equal(unlentFor(w, "guest"), gpu);
  });

  it("[C5] is lent in full by default, and if more is lendable than guaranteed", () => {
    const w = new World().nodes(["n", "H100:4"]).account("guest");
    w.account("plain", terms({ "*": gpu })).account("generous", terms({ "*": gpu }, { "*": 9 * gpu }));
    assert.equal(unlentFor(w, "guest"), 0);
  });

  it("[C5] withholds the larger of an account's own unlent part and the sum of its children's", () => {
    const w = new World().nodes(["n", "H100:8"]).account("guest");
    w.account("lab", terms({ "*": 4 * gpu }, { "*": 3 * gpu }));
    assert.equal(unlentFor(w, "guest"), gpu);
    w.account("lab/a", terms({ "*": gpu }, {})).account("lab/b", terms({ "*": 2 * gpu }, { "*": gpu }));
    assert.equal(unlentFor(w, "guest"), 2 * gpu);
  });

  it("[C5, U2] by model needs free GPUs of that model", () => {
    const w = new World().nodes(["h", "H100-80GB:2"], ["a", "A100:4"]).account("guest");
    w.account("owner", terms({ H100: gpu }, {}));
    assert.deepEqual([unlentFor(w, "guest", "H100"), unlentFor(w, "guest", "A100")], [gpu, 0]);
    const guest = w.state.accountByPath.get("guest")!.no;
    const beside = (model: string, gpus: number) => {
      const units = gpus * gpu;
      const demand = { model: w.state.fleet.modelNo(model, 0), units, memoryUnits: units, cpusMilli: 0, memoryMiB: 0 };
      return unlentBeside(w.state, guest, demand, (name) => w.state.fleet.freeUnitsUp(name));
    };
    assert.deepEqual([beside("H100-80GB", 1), beside("H100-80GB", 2), beside("A100", 4)], [0, gpu, 0]);
  });
});
