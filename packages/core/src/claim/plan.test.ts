import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { plainPolicy } from "../model/policy.ts";
import { hour, unitsPerGpu } from "../model/units.ts";
import { newJob } from "../state/apply/new-job.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { ana, jobId, World } from "../testing/world.ts";
import { planClaim } from "./plan.ts";

/** Which jobs leave for a job of an account, and which lose only members; undefined = it may not claim. */
function leavesFor({ state, now }: World, path: string, raw: Partial<RawJob>): readonly string[] | undefined {
  const account = state.accountByPath.get(path)!.no;
  const spec = parseJob({ run: "true", ...raw }, { after: [] }) as JobSpec;
  const job = newJob({ spec, account, user: ana, at: now }, 0, 1_000_000 as JobNo, jobId("asks"));
  const plan = planClaim(state, job, now);
  return plan && [...plan.victims.keys()].map(({ job: { id }, extra }) => id.replace("job_", "") + (extra ? "+" : ""));
}

function rebalancing(...nodes: [name: string, gpus: string][]): World {
  const world = new World().nodes(...nodes);
  world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", backfill: false } });
  return world;
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
