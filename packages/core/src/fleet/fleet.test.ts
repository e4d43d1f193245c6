import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GpuNo, JobNo, LeaseId, NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import { unitsPerGpu } from "../model/units.ts";
import { nodeOf } from "../testing/world.ts";
import { Fleet } from "./fleet.ts";

const [first, second, mixed] = [0, 1, 2] as NodeNo[] as [NodeNo, NodeNo, NodeNo];

/** Two nodes of one model, and one with an H100 and an A100. */
function fleetOf(): Fleet {
  const fleet = new Fleet();
  fleet.addNode(first, 0 as GpuNo, nodeOf("n0", "H100:2"), 1);
  fleet.addNode(second, 2 as GpuNo, nodeOf("n1", "A100:2"), 1);
  const facts = nodeOf("n2", "H100:1");
  const gpus = [...facts.gpus, { uuid: "GPU-n2-1", model: "A100-80GB", memoryMiB: 81_559 }];
  fleet.addNode(mixed, 4 as GpuNo, { ...facts, gpus }, 1);
  return fleet;
}

function leaseOn(node: NodeNo, gpus: readonly number[]): Lease {
  return {
    ...{ id: `job_a-1-${gpus.join("-")}` as LeaseId, job: 1 as JobNo, attempt: 1, rank: 0, node },
    ...{ gpus: gpus as GpuNo[], unitsEach: unitsPerGpu, cpusMilli: 1_000, memoryMiB: 1_000, placedAt: 1 },
    ...{ state: "running", since: 1, reportSequence: 0 },
  };
}

describe("the fleet", () => {
  it("[S1, S2] throws rather than hold a GPU twice, or one of another node", () => {
    const fleet = fleetOf();
    fleet.take(leaseOn(first, [0]), undefined);
    assert.throws(() => fleet.take(leaseOn(first, [0]), undefined), /GPU 0 has 0 and 0 units left/);
    assert.throws(() => fleet.take(leaseOn(first, [2]), undefined), /GPU 2/);
  });

  it("[S1] throws when a lease is given back twice", () => {
    const fleet = fleetOf();
    const lease = leaseOn(first, [0, 1]);
    fleet.take(lease, undefined);
    fleet.give(lease);
    assert.throws(() => fleet.give(lease), /given back twice/);
    assert.equal(fleet.freeUnitsUp("H100"), 3 * unitsPerGpu);
  });

  it("[T7] holds a GPU for one job only", () => {
    const fleet = fleetOf();
    fleet.hold(first, [0 as GpuNo], 7 as JobNo, 0, 0);
    assert.throws(() => fleet.hold(first, [0 as GpuNo], 8 as JobNo, 0, 0), /held for job 7 already/);
    fleet.unhold(first, [0 as GpuNo], 0, 0);
    fleet.hold(first, [0 as GpuNo], 8 as JobNo, 0, 0);
  });

  it("[C5] counts free and leaving units by model name, on single-model and mixed nodes alike", () => {
    const fleet = fleetOf();
    const lease = leaseOn(mixed, [5]);
    fleet.take(lease, undefined);
    fleet.countLeaving(lease, 1);
    assert.equal(fleet.freeUnitsUp("A100"), 2 * unitsPerGpu);
    assert.equal(fleet.freeUnitsOnceLeft("A100"), 3 * unitsPerGpu);
    assert.equal(fleet.freeUnitsOnceLeft("A100-80GB"), unitsPerGpu);
    assert.equal(fleet.freeUnitsUp(), 5 * unitsPerGpu);
    fleet.hold(first, [0 as GpuNo], 7 as JobNo, 0, 0);
    fleet.changeNode(second, 2, "draining", "", 0, undefined);
    assert.equal(fleet.freeUnitsUp("H100"), 2 * unitsPerGpu);
    assert.equal(fleet.freeUnitsUp("A100"), 0);
    assert.equal(fleet.freeUnitsOnceLeft(), 3 * unitsPerGpu);
  });

  it("lists a node by its free GPUs while it takes work, and a mixed node separately", () => {
    const fleet = fleetOf();
    const h100 = fleet.modelNo("H100", 0);
    assert.equal(fleet.nodesWith(h100, 2)?.next(0), first);
    fleet.take(leaseOn(first, [1]), undefined);
    assert.equal(fleet.nodesWith(h100, 2)?.next(0), -1);
    assert.equal(fleet.nodesWith(h100, 1)?.next(0), first);
    fleet.changeNode(first, 2, "cordoned", "", 0, undefined);
    assert.equal(fleet.nodesWith(h100, 1)?.next(0), -1);
    assert.equal(fleet.oddNodes.next(0), mixed);
    assert.equal(fleet.soleModel(fleet.node(mixed)), -1);
  });

  it("gives no number twice: a removed node keeps its numbers, and its GPUs leave the totals", () => {
    const fleet = fleetOf();
    fleet.removeNode(first);
    assert.throws(() => fleet.node(first), /no node 0/);
    assert.throws(() => fleet.addNode(first, 0 as GpuNo, nodeOf("n0", "H100:2"), 2), /out of order/);
    assert.equal(fleet.totals.gpuUnits, 4 * unitsPerGpu);
    assert.equal(fleet.freeUnitsUp("H100"), unitsPerGpu);
    assert.deepEqual(
      [...fleet.sharingsOf(fleet.modelNo("H100", 0))].map(({ mode }) => mode),
      ["whole"],
    );
  });
});
