import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPolicy } from "../../model/policy.ts";
import { hour, minute } from "../../model/units.ts";
import { placeJob } from "../../place/place.ts";
import { wishOf } from "../../state/wish-of.ts";
import type { RawJob } from "../../submit/parse.ts";
import { diceOf } from "../../testing/dice.ts";
import { nodeOf, World } from "../../testing/world.ts";
import { jobOf } from "../claim.fixture.ts";
import { EffortBudget } from "../effort-budget.ts";
import { searchClaim } from "../plan.ts";
import { quickRebalance } from "./rebalance.ts";

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

function quick(world: World, path: string, raw: Partial<RawJob>) {
  const job = jobOf(world, path, raw);
  if (placeJob(world.state, job, world.now, undefined) !== undefined) return undefined;
  const { state, now } = world;
  const request = () => ({ state, job, wish: wishOf(state, job), now, effort: new EffortBudget(state, now) });
  return { answer: quickRebalance(request()), searched: searchClaim(request()) };
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

  it("[T2] finds no victim where every side would end below the claimant's", () => {
    const world = tenants();
    for (const name of ["z1", "z2", "z3", "w1", "w2", "w3"]) world.submit(name, `shop/${name[0]}`, { gpus: 1 });
    world.submit("x", "lab/x", { gpus: 2 });
    for (const name of ["z1", "z2", "z3", "w1", "w2", "w3", "x"]) world.run(name);
    world.tick(hour);
    assert.equal(quick(world, "shop/z", { gpus: 1 })!.answer, "none");
  });

  it("[T2] misses no victim that the full search finds, whatever happened before", () => {
    const seen = { plans: 0, none: 0, several: 0 };
    for (let seed = 1; seed <= 60; seed++) for (const world of story(seed)) tryAll(world, seen);
    assert.ok(seen.plans > 50 && seen.none > 500 && seen.several > 0, JSON.stringify(seen));
  });
});

function tryAll(world: World, seen: { plans: number; none: number; several: number }): void {
  for (const path of accounts) {
    for (const gpus of [1, 0.5, 0]) {
      const found = quick(world, path, { gpus, cpus: 4 });
      if (found?.answer === undefined) continue;
      const { answer, searched } = found;
      if (answer === "none") {
        seen.none++;
        assert.equal(searched, undefined, `${path} finds no victim for ${gpus} GPUs, the full search does`);
      } else if ("nodes" in answer) seen.several++;
      else {
        seen.plans++;
        assert.ok(searched !== undefined, `${path} takes for ${gpus} GPUs what no rule gives it`);
      }
    }
  }
}

/** Random jobs of all teams come, run and go. */
function* story(seed: number): Generator<World> {
  const roll = diceOf(seed);
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
