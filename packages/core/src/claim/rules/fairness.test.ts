import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, unitsPerGpu } from "../../model/units.ts";
import type { World } from "../../testing/world.ts";
import { accountNo, claimantOf, rebalancing, runAll, victimOf } from "../claim.fixture.ts";
import { Draft } from "../draft/draft.ts";
import { isFairLoss } from "./fairness.ts";
import { isFair, isFairWithout } from "./lawful.ts";

describe("a loss by fair share", () => {
  const share = (borrowed: number) => ({ borrowed, of: 8, fleet: 8 });
  const isFairTo = (before: number, after: number, winner: number) =>
    isFairLoss(share(after), share(winner), () => share(before));

  it("[T2] leaves the losing side at least as high as the claimant's", () => {
    assert.equal(isFairTo(4, 3, 2), true);
    assert.equal(isFairTo(4, 2, 2), true);
    assert.equal(isFairTo(4, 1, 2), false);
  });

  it("[T11] does not leave both sides level if the losing side stood there before", () => {
    assert.equal(isFairTo(2, 2, 2), false);
    assert.equal(isFairTo(3, 3, 2), true);
  });

  it("[T2] is judged at the lowest common account, with the claimant's demand added to its side", () => {
    const world = rebalancing(["n1", "H100:8"]);
    world.account("lab").account("shop");
    runAll(world, { a: ["lab", { gpus: 4 }], b: ["lab"], c: ["shop", { gpus: 3 }] }).tick(hour);
    const takes = (id: string, gpus: number) =>
      isFairWithout(new Draft(world.state, claimantOf(world, "shop", { gpus })), victimOf(world, id), true);
    assert.equal(takes("b", 1), true); // the lab falls from 5 to 4, the shop comes to 4
    assert.equal(takes("b", 2), false); // the shop would come to 5
    assert.equal(takes("a", 1), false); // the lab would fall to 1
  });

  it("[T2] takes a job that is a side of its own from no claimant that borrows", () => {
    const world = rebalancing(["n1", "H100:4"]);
    world.account("lab").account("lab/x");
    runAll(world, { a: ["lab", { gpus: 4 }] }).tick(hour);
    const draft = new Draft(world.state, claimantOf(world, "lab/x"));
    draft.evict(victimOf(world, "a"), "T2");
    assert.equal(isFair(draft, accountNo(world.state, "lab")), false);
  });
});

describe("a side of weight 0", () => {
  /** A guest of weight 0 with a guarantee of two runs three jobs, and a tenant of weight 1 runs one. */
  function guest(): World {
    const world = rebalancing(["n1", "H100:4"]);
    world.account("lab").account("guest", { quota: { guarantee: { "*": 2 * unitsPerGpu }, weight: 0 } });
    runAll(world, { a: ["lab"], g2: ["guest", { gpus: 2 }], g1: ["guest"] }).tick(hour);
    return world;
  }

  const takes = (world: World, path: string, id: string) =>
    isFairWithout(new Draft(world.state, claimantOf(world, path)), victimOf(world, id), false);

  it("[T2] loses everything it borrowed to a side with a weight, and no more", () => {
    assert.equal(takes(guest(), "lab", "g1"), true);
    assert.equal(takes(guest(), "lab", "g2"), false); // one GPU of its guarantee would go with it
  });

  it("[T2] is compared as usual with another side of weight 0", () => {
    const world = guest();
    world.account("visitor", { quota: { guarantee: {}, weight: 0 } });
    assert.equal(takes(world, "visitor", "g1"), false);
  });
});
