import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, unitsPerGpu } from "../../model/units.ts";
import { jobId, type World } from "../../testing/world.ts";
import { accountNo, claimantOf, rebalancing, runAll, victimOf } from "../claim.fixture.ts";
import { Draft } from "./draft.ts";
import { victimsOf } from "./victim.ts";

function shop(): World {
  const world = rebalancing(["n1", "H100:4"], ["n2", "H100:4"]);
  world.account("owner", { guarantee: 4 }).account("shop");
  return runAll(world, { a: ["shop"], b: ["shop", { gpus: 2 }] });
}

function gpusLeft(world: World, draft: Draft): number {
  return draft.left(accountNo(world.state, "shop")).units / unitsPerGpu;
}

const names = (draft: Draft) => [...draft.victims.keys()].map(({ job, extra }) => job.id.slice(4) + (extra ? "+" : ""));

describe("a draft", () => {
  it("[T6] counts what accounts keep without its victims, and nothing once it is undone", () => {
    const world = shop();
    const draft = new Draft(world.state, claimantOf(world, "owner"));
    const [a, b] = [victimOf(world, "a"), victimOf(world, "b")];
    draft.evict(a, "T2");
    const mark = draft.mark();
    draft.evict(b, "T2");
    draft.spare(a);
    assert.deepEqual([names(draft), gpusLeft(world, draft)], [["b"], 1]);
    assert.equal(draft.undoTo(mark), false);
    assert.deepEqual([names(draft), gpusLeft(world, draft)], [["a"], 2]);
    assert.deepEqual([draft.isGone(a), draft.isGone(b), draft.on(b.leases[0]!.node).includes(b)], [true, false, false]);
    assert.throws(() => draft.undoTo((mark + 1) as typeof mark), /undone before/);
  });

  it("answers what one more victim would change, and forgets it", () => {
    const world = shop();
    const draft = new Draft(world.state, claimantOf(world, "owner"));
    assert.equal(
      draft.ifEvicted(victimOf(world, "b"), () => gpusLeft(world, draft)),
      1,
    );
    assert.deepEqual([names(draft), gpusLeft(world, draft), draft.first], [[], 3, undefined]);
  });

  it("remembers its first victim though that was spared, unless it was undone", () => {
    const world = shop();
    const draft = new Draft(world.state, claimantOf(world, "owner"));
    const mark = draft.mark();
    const a = victimOf(world, "a");
    draft.evict(a, "T2");
    draft.spare(a);
    assert.equal(draft.first, a);
    draft.undoTo(mark);
    assert.equal(draft.first, undefined);
  });

  it("[T5] takes the extra members of a job with the whole job, and gives them back with it", () => {
    const world = rebalancing(["n1", "H100:1"], ["n2", "H100:1"], ["n3", "H100:1"]);
    world.account("owner", { guarantee: 3 }).account("shop");
    runAll(world, { wide: ["shop", { nodes: "1..3" }] });
    const [last, second, all] = victimsOf(world.state.jobById.get(jobId("wide"))!);
    const draft = new Draft(world.state, claimantOf(world, "owner"));
    draft.evict(last!, "T2");
    draft.evict(second!, "T2");
    const mark = draft.mark();
    draft.evict(all!, "T2");
    assert.deepEqual([names(draft), gpusLeft(world, draft)], [["wide"], 0]);
    draft.undoTo(mark);
    assert.deepEqual([...draft.victims.keys()], [last, second]);
    assert.equal(gpusLeft(world, draft), 1);
  });

  it("holds seats in the fleet until it is undone", () => {
    const world = shop();
    const { fleet } = world.state;
    const draft = new Draft(world.state, claimantOf(world, "owner"));
    const [gpu] = fleet.nodes.flatMap((node) => [node!.firstGpu + 3]).filter((each) => fleet.isFree(each as never));
    const node = fleet.node(fleet.gpuNode[gpu!] as never);
    const before = node.freeCpusMilli;
    const mark = draft.mark();
    draft.hold(fleet, [{ node: node.no, gpus: [gpu as never] }], { cpusMilli: 1_000, memoryMiB: 0 });
    assert.deepEqual([fleet.isFree(gpu as never), node.freeCpusMilli], [false, before - 1_000]);
    draft.undoTo(mark);
    assert.deepEqual([fleet.isFree(gpu as never), node.freeCpusMilli], [true, before]);
  });

  it("[T5] spares no job that is not a victim", () => {
    const world = shop();
    world.tick(hour);
    const draft = new Draft(world.state, claimantOf(world, "owner"));
    assert.throws(() => draft.spare(victimOf(world, "a")), /only a victim/);
  });
});
