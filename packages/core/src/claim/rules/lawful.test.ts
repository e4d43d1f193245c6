import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, unitsPerGpu } from "../../model/units.ts";
import { claimantOf, rebalancing, runAll, victimOf } from "../claim.fixture.ts";
import { Draft } from "../draft/draft.ts";
import { isFairWithout, isLawful } from "./lawful.ts";
import { respectsLendingLimits } from "./lending.ts";

describe("the victims of a claim", () => {
  it("[T2] leave no side below the claimant's", () => {
    const world = rebalancing(["n1", "H100:8"]);
    world.account("lab").account("shop");
    runAll(world, { a: ["lab", { gpus: 4 }], b: ["lab"], c: ["shop", { gpus: 3 }] }).tick(hour);
    const isLawfulWithout = (id: string) => {
      const draft = new Draft(world.state, claimantOf(world, "shop"));
      draft.evict(victimOf(world, id), "T2");
      return isLawful(draft);
    };
    assert.equal(isLawfulWithout("b"), true);
    assert.equal(isLawfulWithout("a"), false);
  });

  it("[T3] are not covered if the claimant is not once it runs", () => {
    const world = rebalancing(["n1", "H100:8"], ["n2", "H100:8"]);
    world.account("lab", { guarantee: 2 }).account("lab/x").account("lab/y");
    runAll(world, { covered: ["lab/x", { gpus: 2 }], burst: ["lab/x", { gpus: 6 }] }).tick(hour);
    const mayTake = (gpus: number, last: boolean) =>
      isFairWithout(new Draft(world.state, claimantOf(world, "lab/y", { gpus })), victimOf(world, "covered"), last);
    assert.equal(mayTake(3, false), true); // a fair loss, if other victims follow
    assert.equal(mayTake(3, true), false); // three GPUs are more than the guarantee that covered the victim
  });

  it("[C5] bring the claimant under every max", () => {
    const world = rebalancing(["n1", "H100:8"]).account("lab", { max: 3 });
    runAll(world, { a: ["lab", { gpus: 2, priority: "low" }] }).tick(hour);
    const draft = new Draft(world.state, claimantOf(world, "lab", { gpus: 2 }));
    assert.equal(isLawful(draft), false);
    draft.evict(victimOf(world, "a"), "T3");
    assert.equal(isLawful(draft), true);
  });

  it("[C5] leave free the part of an idle guarantee that is not lent", () => {
    const world = rebalancing(["n1", "H100:4"]).account("lab", { guarantee: 1 });
    const quota = { guarantee: { "*": 3 * unitsPerGpu }, lendable: { "*": unitsPerGpu }, weight: 1 };
    world.account("owner", { quota });
    const mayStart = (gpus: number, path: string) =>
      respectsLendingLimits(new Draft(world.state, claimantOf(world, path, { gpus })));
    assert.equal(mayStart(2, "lab"), true); // two GPUs stay free, as many as are not lent
    assert.equal(mayStart(3, "lab"), false);
    assert.equal(mayStart(3, "owner"), true); // its own guarantee covers it
  });
});
