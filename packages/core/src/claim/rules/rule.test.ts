import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour } from "../../model/units.ts";
import type { World } from "../../testing/world.ts";
import { claimantOf, rebalancing, runAll, victimOf } from "../claim.fixture.ts";
import { claimantsOf } from "./claimants-of.ts";
import { mayTakeOwn } from "./own-account.ts";
import { ruleFor } from "./rule.ts";

function ruleOf(world: World, id: string, path: string, raw: Parameters<typeof claimantOf>[2] = {}) {
  return ruleFor(world.state, claimantOf(world, path, raw), victimOf(world, id), world.now);
}

/** A tenant with a guarantee of two and two teams, and another tenant without. */
function tenants(): World {
  const world = rebalancing(["n1", "H100:4"], ["n2", "H100:4"]);
  world.account("lab", { guarantee: 2 }).account("lab/x").account("lab/y").account("shop");
  return world;
}

describe("the rule by which a job is taken", () => {
  it("[T1] is reclaim for a covered claimant, outside its cover", () => {
    const world = runAll(tenants(), { a: ["shop"], b: ["lab/y", { gpus: 4 }] });
    world.tick(hour);
    assert.equal(ruleOf(world, "a", "lab/x", { cover: "lab" }), "T1");
    assert.equal(ruleOf(world, "b", "lab/x", { cover: "lab" }), "T2"); // inside the cover all jobs are equals
    assert.equal(ruleOf(world, "a", "lab/x"), "T2");
  });

  it("[C2] is none for work covered against the claimant", () => {
    const world = runAll(tenants(), { a: ["lab/x", { gpus: 2 }] });
    world.tick(hour);
    assert.equal(ruleOf(world, "a", "shop"), undefined);
    assert.equal(ruleOf(world, "a", "lab/y"), "T2");
  });

  it("[T3] is preempt in the claimant's own account, for higher priority", () => {
    const world = runAll(tenants(), { a: ["shop"], low: ["shop", { priority: "low" }] });
    world.tick(hour);
    assert.equal(ruleOf(world, "a", "shop"), undefined);
    assert.equal(ruleOf(world, "low", "shop"), "T3");
    assert.equal(ruleOf(world, "a", "shop", { priority: "high" }), "T3");
  });

  it("[T3] lets a job with preemptible: false take burst work of its own priority", () => {
    const world = runAll(tenants(), { covered: ["lab", { gpus: 2 }], burst: ["lab", { gpus: 4 }] });
    world.tick(hour);
    const kept = { preemptible: false, cover: "lab" };
    assert.equal(ruleOf(world, "burst", "lab", kept), "T3");
    assert.equal(ruleOf(world, "covered", "lab", kept), undefined);
    assert.equal(ruleOf(world, "burst", "lab"), undefined);
    assert.equal(ruleOf(world, "burst", "lab", { ...kept, priority: "low" }), undefined);
  });

  it("[T3] replaces covered work only by work that is covered at least as low", () => {
    const world = runAll(tenants(), { a: ["lab", { gpus: 2, priority: "low" }] });
    world.tick(hour);
    assert.equal(ruleOf(world, "a", "lab", { cover: "lab" }), "T3");
    assert.equal(ruleOf(world, "a", "lab"), undefined);
  });

  it("[T3] might apply where the account has work of lower priority", () => {
    const world = runAll(tenants(), { a: ["shop"] });
    const mayTake = (raw: Parameters<typeof claimantOf>[2]) =>
      mayTakeOwn(world.state, claimantOf(world, "shop", raw).job);
    assert.deepEqual(
      [mayTake({ priority: "high" }), mayTake({}), mayTake({ preemptible: false })],
      [true, false, true],
    );
  });
});

describe("the guarantees by which a job may claim", () => {
  it("[C1, T3] are the one that holds it, or those that would without work of its own account", () => {
    const world = tenants();
    const coversOf = (raw: Parameters<typeof claimantOf>[2]) => {
      const { job, demand } = claimantOf(world, "lab", raw);
      const covers = claimantsOf(world.state, job, demand, world.now).map(({ cover }) => cover);
      return covers.map((cover) => world.state.accounts[cover]?.path ?? "burst");
    };
    assert.deepEqual(coversOf({}), ["lab"]);
    runAll(world, { a: ["lab", { gpus: 2 }] }).tick(hour);
    assert.deepEqual(coversOf({}), ["burst"]);
    assert.deepEqual(coversOf({ priority: "high" }), ["burst", "lab"]);
    assert.deepEqual(coversOf({ preemptible: false, priority: "high" }), ["lab"]);
  });
});
