import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour } from "../../model/units.ts";
import type { World } from "../../testing/world.ts";
import { accountNo, claimantOf, rebalancing, runAll, victimOf } from "../claim.fixture.ts";
import { Draft } from "../draft/draft.ts";
import { NothingTaken } from "./remaining.ts";
import { isSource, isSourceFor, wereSources } from "./source.ts";

/** An owner with nothing, and a tenant with a guarantee of two that runs three jobs of one GPU. */
function borrower(): World {
  const world = rebalancing(["n1", "H100:4"]);
  world.account("owner", { guarantee: 2 }).account("lab", { guarantee: 2 }).account("lab/x").account("lab/y");
  runAll(world, { one: ["lab/x"], two: ["lab/x"], three: ["lab/y"] }).tick(hour);
  return world;
}

describe("the source of victims", () => {
  it("[T5] is an account above its guarantee, all the way up to its side", () => {
    const world = borrower();
    const { state } = world;
    const isOpen = (path: string) =>
      isSource(state, claimantOf(world, "owner"), accountNo(state, path), new NothingTaken(state));
    assert.equal(isOpen("lab/x"), true);
    world.exit("two", 0);
    assert.equal(isOpen("lab/x"), false); // x itself has no guarantee, but its tenant is within its own
  });

  it("[T5] is judged below the common account only", () => {
    const world = borrower();
    world.exit("two", 0);
    const { state } = world;
    const isOpen = isSource(state, claimantOf(world, "lab/y"), accountNo(state, "lab/x"), new NothingTaken(state));
    assert.equal(isOpen, true);
  });

  it("[T5] may fall below its guarantee with its last victim, and not before", () => {
    const world = borrower();
    const draft = new Draft(world.state, claimantOf(world, "owner", { cover: "owner" }));
    assert.equal(isSourceFor(draft, victimOf(world, "one")), true);
    draft.evict(victimOf(world, "one"), "T1");
    assert.equal(wereSources(draft), true);
    // The tenant is at its guarantee now, and each of its victims holds one GPU.
    assert.equal(isSourceFor(draft, victimOf(world, "two")), false);
    draft.evict(victimOf(world, "two"), "T1");
    assert.equal(wereSources(draft), false);
  });

  it("[T5] leaves open which of its victims is the last", () => {
    const mayLoseBoth = (guarantee: number) => {
      const world = rebalancing(["n1", "H100:8"]);
      world.account("owner", { guarantee: 2 }).account("lab", { guarantee });
      runAll(world, { wide: ["lab", { gpus: 3 }], small: ["lab"] }).tick(hour);
      const draft = new Draft(world.state, claimantOf(world, "owner", { cover: "owner", gpus: 2 }));
      draft.evict(victimOf(world, "wide"), "T1");
      return isSourceFor(draft, victimOf(world, "small"));
    };
    // Had the small job left first, the wide one would still be more than a guarantee of two, not of three.
    assert.equal(mayLoseBoth(2), true);
    assert.equal(mayLoseBoth(3), false);
  });

  it("[T5] does not protect work of the claimant's own account", () => {
    const world = borrower();
    world.exit("three", 0);
    const draft = new Draft(world.state, claimantOf(world, "lab/x", { priority: "high" }));
    for (const id of ["one", "two"]) draft.evict(victimOf(world, id), "T3");
    assert.equal(wereSources(draft), true);
  });
});
