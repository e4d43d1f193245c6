import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobNo } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { plainPolicy } from "../model/policy.ts";
import { hour, minute } from "../model/units.ts";
import { placeJob } from "../place/place.ts";
import { newJob } from "../state/apply/new-job.ts";
import { wishOf } from "../state/wish-of.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { ana, jobId, nodeOf, World } from "../testing/world.ts";
import { EffortBudget } from "./effort-budget.ts";
import { weighClaim } from "./plan.ts";
import { quickShareClaim } from "./quick-share.ts";

const accounts = ["lab/x", "lab/y", "shop/z", "shop/w"];

/** Two nodes of four GPUs that can be cut, and two tenants with two teams each, of which one has a floor. */
function tenants(): World {
  const world = new World();
  world.must({
    kind: "node.register",
    nodes: ["n1", "n2"].map((name) => ({ ...nodeOf(name, "H100:4"), pool: "any" as const, cpusMilli: 32_000 })),
  });
  world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", backfill: false } });
  world.account("lab", { guarantee: 2 }).account("shop");
  for (const path of accounts) world.account(path);
  return world;
}

function jobOf({ state, now }: World, path: string, raw: Partial<RawJob>): Job {
  const account = state.accountByPath.get(path)!.no;
  const spec = parseJob({ run: "true", ...raw }, { after: [] }) as JobSpec;
  return newJob({ spec, account, user: ana, at: now }, 0, 1_000_000 as JobNo, jobId("asks"));
}

function quick(world: World, path: string, raw: Partial<RawJob>) {
  const job = jobOf(world, path, raw);
  if (placeJob(world.state, job, world.now, undefined) !== undefined) return undefined;
  const wish = wishOf(world.state, job.spec);
  const answer = quickShareClaim(world.state, job, wish, world.now, new EffortBudget(world.state, world.now));
  const weighed = weighClaim(world.state, job, wish, world.now, new EffortBudget(world.state, world.now));
  return { answer, weighed };
}

function victimsOf(world: World, path: string): string[] {
  const { answer } = quick(world, path, { gpus: 1 })!;
  assert.ok(typeof answer === "object" && "victims" in answer);
  return [...answer.victims.keys()].map((victim) => victim.job.id.replace("job_", ""));
}

describe("the quick claim by fair share", () => {
  it("[T2, T5] takes from the side with the largest share, the youngest of its largest account", () => {
    const world = tenants();
    for (const [name, account, gpus] of [
      ["x", "lab/x", 2],
      ["z1", "shop/z", 2],
      ["z2", "shop/z", 1],
      ["w", "shop/w", 3],
    ] as const) {
      world.submit(name, account, { gpus });
      world.run(name).tick(minute);
    }
    world.tick(hour);
    assert.deepEqual(victimsOf(world, "lab/y"), ["w"]);
  });

  it("[T2] says that there is nobody where every side would end below the claimant's", () => {
    const world = tenants();
    for (const name of ["z1", "z2", "z3", "w1", "w2", "w3"]) world.submit(name, `shop/${name[0]}`, { gpus: 1 });
    world.submit("x", "lab/x", { gpus: 2 });
    for (const name of ["z1", "z2", "z3", "w1", "w2", "w3", "x"]) world.run(name);
    world.tick(hour);
    assert.equal(quick(world, "shop/z", { gpus: 1 })!.answer, "nobody");
  });

  it("[T2] misses nobody whom weighing everyone finds, whatever happened before", () => {
    const seen = { plans: 0, nobody: 0, several: 0 };
    for (let seed = 1; seed <= 60; seed++) for (const world of story(seed)) ask(world, seen);
    assert.ok(seen.plans > 50 && seen.nobody > 500 && seen.several > 0, JSON.stringify(seen));
  });
});

function ask(world: World, seen: { plans: number; nobody: number; several: number }): void {
  for (const path of accounts) {
    for (const gpus of [1, 0.5, 0]) {
      const told = quick(world, path, { gpus, cpus: 4 });
      if (told?.answer === undefined) continue;
      const { answer, weighed } = told;
      if (answer === "nobody") {
        seen.nobody++;
        assert.equal(weighed, undefined, `${path} is told that nobody can be taken for ${gpus}`);
      } else if ("nodes" in answer) seen.several++;
      else {
        seen.plans++;
        assert.ok(weighed !== undefined, `${path} takes for ${gpus} what no rule gives it`);
      }
    }
  }
}

/** Random jobs of all teams come, run and go. */
function* story(seed: number): Generator<World> {
  let dice = seed;
  const roll = (sides: number): number => {
    dice = (dice * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(dice / 65_536) % sides;
  };
  const world = tenants();
  const left = roll(2) === 0 ? accounts : accounts.slice(1);
  let names: string[] = [];
  for (let step = 0; step < 30; step++) {
    const name = `${seed}x${step}`;
    const gpus = [1, 1, 2, 0.5, 0.25, 0][roll(6)]!;
    world.submit(name, left[roll(left.length)]!, { gpus, cpus: 1 + roll(8) });
    names.push(name);
    for (const each of names) if (world.stateOf(each) === "starting" && roll(2) === 0) world.run(each);
    if (roll(4) === 0) {
      const [running] = names.filter((each) => world.stateOf(each) === "running");
      if (running !== undefined) world.exit(running, 0);
    }
    names = names.filter((each) => world.stateOf(each) !== "ended");
    world.tick(roll(90) * 1_000);
    yield world;
  }
}
