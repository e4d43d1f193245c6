import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, unitsPerGpu } from "../model/units.ts";
import type { RawJob } from "../submit/parse.ts";
import type { World } from "../testing/world.ts";
import { jobOf, rebalancing } from "./claim.fixture.ts";
import { planClaim } from "./plan.ts";

/** Which jobs leave for a job of an account, and which lose only members; undefined = it may not claim. */
function leavesFor(world: World, path: string, raw: Partial<RawJob>): readonly string[] | undefined {
  const plan = planClaim(world.state, jobOf(world, path, raw), world.now);
  return plan && [...plan.victims.keys()].map(({ job: { id }, extra }) => id.replace("job_", "") + (extra ? "+" : ""));
}

describe("a plan for a claim", () => {
  it("[T5, T13] shrinks an elastic job where that is enough, though its members were passed over before", () => {
    const world = rebalancing(["a", "H100:1"], ["b", "H100:1"], ["c", "H100:2"]);
    world.account("lab", { guarantee: 4 });
    world.submit("wide", "lab", { nodes: "1..3" });
    world.run("wide").tick(hour);
    world.submit("small", "lab");
    world.run("small").tick(hour);
    const { terms } = world.state.accountByPath.get("lab")!;
    const guarantee = { "*": 3 * unitsPerGpu };
    world.must({ kind: "account.edit", path: "lab", terms: { ...terms, quota: { ...terms.quota, guarantee } } });
    assert.deepEqual(leavesFor(world, "lab", { gpus: 2, priority: 2 })?.toSorted(), ["small", "wide+", "wide+"]);
  });

  it("[T2, T12] takes a gang of a confidential tenant that loses fewer GPUs with it than the gang holds", () => {
    const world = rebalancing(["a", "H100:2"], ["b", "H100:4"]);
    const quota = { guarantee: {}, weight: 2 };
    world.account("bank", { trust: "confidential", quota }).account("shop");
    for (const name of ["one", "two"]) world.submit(name, "bank", { gpus: 1, members: 3 });
    for (const name of ["one", "two"]) world.run(name);
    world.tick(hour);
    assert.deepEqual(leavesFor(world, "shop", { gpus: 2 }), ["two"]);
  });

  it("[T14] takes nothing of its own account only so that its side is small enough to take from another", () => {
    const world = rebalancing(["a", "H100:2"], ["b", "H100:3"], ["c", "H100:1"]);
    world.account("lab").account("shop").account("owner", { guarantee: 2 });
    const memory = "400GiB";
    world.submit("more", "shop", { memory });
    world.submit("large", "shop", { memory });
    world.submit("kept", "owner", { memory });
    world.submit("wide", "lab", { members: 3, priority: "low" });
    for (const name of ["more", "large", "kept", "wide"]) world.run(name);
    world.tick(hour);
    // Without the wide job its side would stand low enough, but no memory is free where that was.
    assert.equal(leavesFor(world, "lab", { gpus: 1, memory }), undefined);
    assert.deepEqual(leavesFor(world, "lab", { gpus: 1 }), ["wide"]);
  });
});
