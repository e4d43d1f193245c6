import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noAccount } from "../../model/ids.ts";
import { hour } from "../../model/units.ts";
import type { World } from "../../testing/world.ts";
import { accountNo, claimantOf, rebalancing, runAll, victimOf } from "../claim.fixture.ts";
import { Draft } from "../draft/draft.ts";
import { coverThen, isCoveredAgainst, isCoveredAsLow, isHeldByCover, isOutsideCover } from "./cover.ts";
import { isLawful } from "./lawful.ts";
import { NothingTaken } from "./remaining.ts";

/** A tenant with a guarantee of four, of which one team has two of its own. */
function lab(): World {
  const world = rebalancing(["n1", "H100:4"], ["n2", "H100:4"]);
  world.account("lab", { guarantee: 4 }).account("lab/owner", { guarantee: 2 }).account("lab/guest").account("shop");
  return world;
}

describe("cover", () => {
  it("[C2] protects a job against claimants outside the covering account only", () => {
    const world = lab();
    const cover = accountNo(world.state, "lab");
    assert.equal(isCoveredAgainst(claimantOf(world, "shop"), cover), true);
    assert.equal(isCoveredAgainst(claimantOf(world, "lab/guest"), cover), false);
    assert.equal(isCoveredAgainst(claimantOf(world, "shop"), noAccount), false);
  });

  it("[T1] is claimed back from accounts outside it only", () => {
    const world = lab();
    const claimant = claimantOf(world, "lab/owner", { cover: "lab" });
    assert.equal(isOutsideCover(world.state, claimant, accountNo(world.state, "shop")), true);
    assert.equal(isOutsideCover(world.state, claimant, accountNo(world.state, "lab/guest")), false);
  });

  it("[T3] of a victim is at least as high as that of the claimant that replaces it", () => {
    const world = lab();
    const { state } = world;
    const [high, low] = [accountNo(state, "lab"), accountNo(state, "lab/owner")];
    assert.equal(isCoveredAsLow(state, low, high), true);
    assert.equal(isCoveredAsLow(state, high, high), true);
    assert.equal(isCoveredAsLow(state, high, low), false);
    assert.equal(isCoveredAsLow(state, noAccount, high), false);
    assert.equal(isCoveredAsLow(state, noAccount, noAccount), true);
  });

  it("[C1] is that of the lowest account whose guarantee holds the claimant without the victims", () => {
    const world = runAll(lab(), { a: ["lab/owner", { gpus: 2 }] });
    const { state } = world;
    const claimant = claimantOf(world, "lab/owner", { gpus: 2, cover: "lab/owner" });
    assert.equal(coverThen(state, claimant, new NothingTaken(state)), accountNo(state, "lab"));
    assert.equal(isHeldByCover(state, claimant, new NothingTaken(state)), false);
    const draft = new Draft(state, claimant);
    draft.evict(victimOf(world, "a"), "T3");
    assert.equal(coverThen(state, claimant, draft), accountNo(state, "lab/owner"));
    assert.equal(isHeldByCover(state, claimant, draft), true);
  });

  it("[T1, C4] must really hold a claimant that takes by it or must not be preempted", () => {
    const world = runAll(lab(), { a: ["lab/owner", { gpus: 4 }], b: ["shop", { gpus: 4 }] });
    world.tick(hour);
    const isLawfulFor = (raw: Parameters<typeof claimantOf>[2], evict?: string) => {
      const draft = new Draft(world.state, claimantOf(world, "lab/guest", { cover: "lab", ...raw }));
      if (evict !== undefined) draft.evict(victimOf(world, evict), "T1");
      return isLawful(draft);
    };
    assert.equal(isLawfulFor({}, "b"), false); // the lab's guarantee is in use
    assert.equal(isLawfulFor({ preemptible: false }), false);
    world.exit("a", 0);
    assert.equal(isLawfulFor({}, "b"), true);
    assert.equal(isLawfulFor({ preemptible: false }), true);
  });
});
