import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GpuAmounts } from "../model/account.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import { plainPolicy } from "../model/policy.ts";
import { unitsPerGpu } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import type { Demand } from "./demand.ts";
import { coverFor, entryFor, floorOf, isWithin } from "./guarantee.ts";
import { addGpus, type Held, nothingHeld } from "./held.ts";

const gpu = unitsPerGpu;

/** Eight GPUs; `lab` is guaranteed four of them, and inside it `lab/vision` two. */
function tree(): World {
  const w = new World().nodes(["n", "H100:8"]);
  return w.account("lab", { guarantee: 4 }).account("lab/vision", { guarantee: 2 }).account("lab/speech");
}

/** The path of the account that covers a job; undefined = burst. */
function coverOf({ state }: World, id: string): string | undefined {
  const job = state.jobById.get(jobId(id))!;
  assert.equal(job.class, job.cover === noAccount ? "burst" : "guaranteed");
  return job.cover === noAccount ? undefined : state.accounts[job.cover]!.path;
}

describe("the class of a job at its start", () => {
  it("[C1] is guaranteed by the lowest account on its path with room for it, else burst", () => {
    const w = tree();
    for (const id of ["own", "parent", "beyond"]) w.submit(id, "lab/vision", { gpus: 2 });
    assert.deepEqual(
      ["own", "parent", "beyond"].map((id) => coverOf(w, id)),
      ["lab/vision", "lab", undefined],
    );
  });

  it("[C1] is burst if a guarantee has room for a part of the job only", () => {
    const w = tree();
    w.submit("three", "lab", { gpus: 3 });
    w.submit("two", "lab", { gpus: 2 });
    w.submit("one", "lab", { gpus: 1 });
    assert.deepEqual([coverOf(w, "three"), coverOf(w, "two")], ["lab", undefined]);
    // The burst job counts as usage, so the last GPU of the guarantee covers no further job.
    assert.equal(coverOf(w, "one"), undefined);
  });

  it("[C1] skips a guarantee further down that is too small", () => {
    const w = tree();
    w.submit("three", "lab/vision", { gpus: 3 });
    assert.equal(coverOf(w, "three"), "lab");
  });

  it("[C1] is one class for the minimum of an elastic job; further members stay outside the guarantee", () => {
    const w = tree();
    w.submit("elastic", "lab/vision", { gpus: 1, members: "2..6" });
    const vision = w.state.accountByPath.get("lab/vision")!.no;
    assert.equal(coverOf(w, "elastic"), "lab/vision");
    assert.equal(w.state.usage[vision]!.units, 6 * gpu);
    assert.equal(w.state.usage[vision]!.covered.units, 2 * gpu);
  });

  it("[C1] is burst for an elastic job whose minimum does not fit as a whole", () => {
    const w = tree();
    w.submit("elastic", "lab/vision", { gpus: 1, members: "5..6" });
    assert.equal(coverOf(w, "elastic"), undefined);
  });
});

describe("a covered job", () => {
  /** Four GPUs, all covered by `lab` for its account without a guarantee; every eviction that a rule allows happens. */
  function full(): World {
    const w = new World().nodes(["n", "H100:4"]);
    w.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", minRuntimeMs: 0 } });
    w.account("lab", { guarantee: 4 }).account("lab/vision", { guarantee: 2 }).account("lab/speech").account("guest");
    for (const id of ["a", "b", "c", "d"]) {
      w.submit(id, "lab/speech");
      assert.equal(coverOf(w, id), "lab");
      w.run(id);
    }
    return w;
  }
  const stopping = (w: World) => ["a", "b", "c", "d"].filter((id) => w.stateOf(id) === "stopping").length;

  it("[C2] is not taken for a job outside the account that covers it", () => {
    const w = full();
    w.submit("x", "guest", { priority: 9 });
    assert.deepEqual([w.stateOf("x"), stopping(w)], ["waiting", 0]);
  });

  it("[C2] can be taken for a job inside that account", () => {
    const w = full();
    w.submit("x", "lab/vision", { gpus: 2 });
    assert.equal(stopping(w), 2);
  });
});

/** A fleet of two models and one account with this guarantee. */
function mixed(guarantee: GpuAmounts) {
  const quota = { guarantee, weight: 1 };
  const w = new World().nodes(["h", "H100-80GB:4"], ["a", "A100:4"]).account("lab", { quota });
  const [h100, a100] = ["H100-80GB", "A100"].map((name) => w.state.fleet.modelNo(name, 0)) as [number, number];
  return { state: w.state, lab: w.state.accountByPath.get("lab")!, h100, a100 };
}

function held(...gpus: readonly (readonly [model: number, units: number, memoryUnits?: number])[]): Held {
  const sum = nothingHeld();
  for (const [model, units, memoryUnits = units] of gpus) addGpus(sum, model, units, memoryUnits);
  return sum;
}

describe("a guarantee", () => {
  it("[U1] bounds compute and memory of GPUs by one number", () => {
    const { state, lab, h100 } = mixed({ "*": 2 * gpu });
    assert.equal(isWithin(state, lab, held([h100, 2 * gpu, gpu])), true);
    assert.equal(isWithin(state, lab, held([h100, gpu, 2 * gpu])), true);
    assert.equal(isWithin(state, lab, held([h100, 2 * gpu + 1, gpu])), false);
    assert.equal(isWithin(state, lab, held([h100, gpu, 2 * gpu + 1])), false);
  });

  it("[U1, U2] bounds both dimensions of a model by the model's own number", () => {
    const { state, lab, h100 } = mixed({ H100: gpu });
    assert.equal(isWithin(state, lab, held([h100, gpu, gpu])), true);
    assert.equal(isWithin(state, lab, held([h100, 1, gpu + 1])), false);
  });

  it("[U2] holds in its `*` entry what exceeds the entry of a model, of all models together", () => {
    const { state, lab, h100, a100 } = mixed({ H100: 2 * gpu, "*": gpu });
    assert.equal(isWithin(state, lab, held([h100, 3 * gpu])), true);
    assert.equal(isWithin(state, lab, held([h100, 2 * gpu], [a100, gpu])), true);
    assert.equal(isWithin(state, lab, held([h100, 3 * gpu], [a100, gpu])), false);
    assert.equal(isWithin(state, lab, held([a100, 2 * gpu])), false);
  });

  it("[U2] counts a model under its longest matching name", () => {
    assert.equal(entryFor({ H100: 1, "H100-80GB": 2, "*": 3 }, "H100-80GB"), "H100-80GB");
    assert.equal(entryFor({ H100: 1, "*": 3 }, "H100-80GB"), "H100");
    assert.equal(entryFor({ "H100-80GB": 1, "*": 3 }, "H100"), undefined);
  });

  it("[U2] includes cores and memory in proportion to its GPUs, unless it names them", () => {
    const { state, lab } = mixed({ "*": 2 * gpu });
    const { totals } = state.fleet;
    const { cpusMilli, memoryMiB } = floorOf(state, lab);
    assert.deepEqual([cpusMilli, memoryMiB], [totals.cpusMilli / 4, totals.memoryMiB / 4]);
    const demand: Demand = { model: -1, units: 0, memoryUnits: 0, cpusMilli: cpusMilli + 1, memoryMiB: 0 };
    assert.equal(coverFor(state, lab.no, demand), noAccount);
    assert.equal(coverFor(state, lab.no, { ...demand, cpusMilli }), lab.no);
    const quota = { ...lab.terms.quota, guaranteeCpusMilli: cpusMilli + 1 };
    lab.terms = { ...lab.terms, quota };
    assert.equal(coverFor(state, lab.no, demand), lab.no);
  });

  it("[U2] is summed up again when the fleet changes", () => {
    const w = tree();
    const lab = w.state.accountByPath.get("lab")!;
    const before = floorOf(w.state, lab);
    assert.equal(floorOf(w.state, lab), before);
    w.nodes(["m", "H100:8"]);
    assert.notEqual(floorOf(w.state, lab), before);
  });

  it("of an account that does not exist is a bug of the caller", () => {
    const { state } = mixed({});
    const demand: Demand = { model: -1, units: 0, memoryUnits: 0, cpusMilli: 0, memoryMiB: 0 };
    assert.throws(() => coverFor(state, 99 as AccountNo, demand), /no account 99/);
  });
});
