import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rootAccount } from "../../model/ids.ts";
import { World } from "../../testing/world.ts";
import { accountNo, claimantOf } from "../claim.fixture.ts";
import { losingAccounts, meetingsOf, ownSideIn, sidesOf } from "./sides.ts";

/** Two tenants; one has two groups, one of which has two teams. */
function tenants(): World {
  const world = new World().nodes(["n1", "H100:4"]);
  for (const path of ["lab", "lab/vision", "lab/vision/a", "lab/vision/b", "lab/speech", "shop"]) world.account(path);
  return world;
}

describe("the sides of a claim", () => {
  const world = tenants();
  const { state } = world;
  const no = (path: string) => accountNo(state, path);
  const claimant = claimantOf(world, "lab/vision/a");

  it("[T2] are the accounts directly below the lowest common account", () => {
    assert.deepEqual(sidesOf(state, claimant, no("shop")), { claimant: no("lab"), loser: no("shop") });
    assert.deepEqual(sidesOf(state, claimant, no("lab/speech")), {
      claimant: no("lab/vision"),
      loser: no("lab/speech"),
    });
    assert.deepEqual(sidesOf(state, claimant, no("lab/vision/b")), {
      claimant: no("lab/vision/a"),
      loser: no("lab/vision/b"),
    });
  });

  it("[T2] are single jobs where an account contains the other's account", () => {
    assert.deepEqual(sidesOf(state, claimant, no("lab")), { claimant: no("lab/vision"), loser: undefined });
    assert.deepEqual(sidesOf(state, claimantOf(world, "lab"), no("lab/speech")), {
      claimant: undefined,
      loser: no("lab/speech"),
    });
  });

  it("[T5] let only accounts lose that do not contain the claimant", () => {
    const losing = (path: string) => losingAccounts(state, claimant, no(path)).map((account) => account.no);
    assert.deepEqual(losing("lab/vision/b"), [no("lab/vision/b")]);
    assert.deepEqual(losing("lab/speech"), [no("lab/speech")]);
    assert.deepEqual(losing("shop"), [no("shop")]);
    assert.deepEqual(losing("lab/vision"), []);
    const fromShop = losingAccounts(state, claimantOf(world, "shop"), no("lab/vision/b"));
    assert.deepEqual(
      fromShop.map((account) => account.no),
      [no("lab/vision/b"), no("lab/vision"), no("lab")],
    );
  });

  it("[T2] are met from the claimant's account up to the root", () => {
    assert.deepEqual(
      [...meetingsOf(state, no("lab/vision"))],
      [
        { common: no("lab/vision"), own: undefined },
        { common: no("lab"), own: no("lab/vision") },
        { common: rootAccount, own: no("lab") },
      ],
    );
    assert.equal(ownSideIn(state, claimant, rootAccount), no("lab"));
    assert.equal(ownSideIn(state, claimant, no("lab/vision/a")), undefined);
  });
});
