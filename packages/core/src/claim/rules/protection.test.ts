import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Policy, plainPolicy } from "../../model/policy.ts";
import { hour, minute } from "../../model/units.ts";
import { jobId, World } from "../../testing/world.ts";
import { claimantOf, runAll, victimOf } from "../claim.fixture.ts";
import { victimsOf } from "../draft/victim.ts";
import { isInsideMinRuntime, isTakeable, mayRebalance, mayRebalanceSome } from "./protection.ts";
import { ruleFor } from "./rule.ts";

function fleet(policy: Partial<Policy>): World {
  const world = new World().nodes(["n1", "H100:4"], ["n2", "H100:4"]);
  world.must({ kind: "policy.set", policy: { ...plainPolicy, backfill: false, ...policy } });
  return world.account("owner", { guarantee: 4 }).account("lab");
}

describe("protection of running jobs", () => {
  it("[T8] min_runtime keeps T2 and T3 from a job that has just started, not T1", () => {
    const world = runAll(fleet({ rebalance: "on", minRuntimeMs: 10 * minute }), { a: ["lab"] });
    const ruleOf = (path: string, raw = {}) =>
      ruleFor(world.state, claimantOf(world, path, raw), victimOf(world, "a"), world.now);
    assert.deepEqual([ruleOf("owner"), ruleOf("lab", { priority: "high" })], [undefined, undefined]);
    assert.equal(ruleOf("owner", { cover: "owner" }), "T1");
    world.tick(10 * minute);
    assert.deepEqual([ruleOf("owner"), ruleOf("lab", { priority: "high" })], ["T2", "T3"]);
  });

  it("[T8] a job taken three times within an hour is shielded from T2 for an hour", () => {
    const world = runAll(fleet({ rebalance: "on", minRuntimeMs: 0 }), { a: ["lab"] });
    const { state, now } = world;
    const mayTake = (firstEvictedAt: number, at: number) => {
      const { job, ...victim } = victimOf(world, "a");
      return mayRebalance(state, { ...victim, job: { ...job, evictedAt: [firstEvictedAt, now - minute, now] } }, at);
    };
    assert.equal(mayTake(now - hour, now + hour - 1), false);
    assert.equal(mayTake(now - hour, now + hour), true);
    assert.equal(mayTake(now - hour - 1, now + minute), true);
  });

  it("[T2] the policy allows it for all jobs, for jobs that checkpoint, or not at all", () => {
    const taken = (rebalance: Policy["rebalance"]) => {
      const world = runAll(fleet({ rebalance, minRuntimeMs: 0 }), {
        plain: ["lab"],
        saves: ["lab", { checkpoint: { every: "10m" } }],
      });
      return ["plain", "saves"].map((id) => mayRebalance(world.state, victimOf(world, id), world.now));
    };
    assert.deepEqual(taken("on"), [true, true]);
    assert.deepEqual(taken("checkpointed"), [false, true]);
    assert.deepEqual(taken("off"), [false, false]);
  });

  it("[T8] protects no extra members of an elastic job", () => {
    const world = runAll(fleet({ rebalance: "checkpointed", minRuntimeMs: hour }), {
      wide: ["lab", { nodes: "1..2" }],
    });
    const mayTake = victimsOf(world.state.jobById.get(jobId("wide"))!).map((victim) => [
      victim.extra,
      mayRebalance(world.state, victim, world.now),
    ]);
    assert.deepEqual(mayTake, [
      [true, true],
      [false, false],
    ]);
  });

  it("[T8] is judged for a class of jobs by its oldest", () => {
    const world = fleet({ rebalance: "checkpointed", minRuntimeMs: hour });
    const { state, now } = world;
    assert.equal(mayRebalanceSome(state, { saves: true, oldestAt: now - hour }, now), true);
    assert.equal(mayRebalanceSome(state, { saves: true, oldestAt: now - hour + 1 }, now), false);
    assert.equal(mayRebalanceSome(state, { saves: false, oldestAt: 0 }, now), false);
    assert.equal(isInsideMinRuntime(state, { placedAt: now - hour }, now), false);
  });

  it("[C4] a job with preemptible: false, or one that is stopping, is never taken", () => {
    const world = runAll(fleet({ rebalance: "on", minRuntimeMs: 0 }), {
      kept: ["owner", { preemptible: false }],
      plain: ["lab"],
    });
    assert.equal(isTakeable(victimOf(world, "kept")), false);
    assert.equal(isTakeable(victimOf(world, "plain")), true);
    world.must({ kind: "job.cancel", job: jobId("plain") });
    assert.equal(isTakeable(victimOf(world, "plain")), false);
  });
});
