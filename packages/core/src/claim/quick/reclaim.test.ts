import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job } from "../../model/job.ts";
import { minute } from "../../model/units.ts";
import { placeJob } from "../../place/place.ts";
import { wishOf } from "../../state/wish-of.ts";
import { diceOf } from "../../testing/dice.ts";
import { jobId, World } from "../../testing/world.ts";
import { jobOf } from "../claim.fixture.ts";
import type { ClaimRequest } from "../claim-context.ts";
import { lostMs } from "../draft/victim.ts";
import { EffortBudget } from "../effort-budget.ts";
import { searchClaim } from "../plan.ts";
import { quickReclaim } from "./reclaim.ts";

/** Two nodes of four GPUs, an owner with a floor of four, and guests of two tenants. */
function guests(): World {
  const world = new World().nodes(["n1", "H100:4"], ["n2", "H100:4"]);
  world.account("owner", { guarantee: 4 });
  for (const path of ["lab", "lab/x", "lab/y", "shop", "shop/z"]) world.account(path);
  return world;
}

function requestOf({ state, now }: World, job: Job): ClaimRequest {
  return { state, job, wish: wishOf(state, job), now, effort: new EffortBudget(state, now) };
}

function quickVictims(world: World, path = "owner"): string[] | undefined {
  const job = jobOf(world, path);
  assert.equal(placeJob(world.state, job, world.now, undefined), undefined); // it finds no free seat
  const plan = quickReclaim(requestOf(world, job));
  assert.ok(plan !== "none");
  return plan && [...plan.victims.keys()].map((victim) => victim.job.id.replace("job_", ""));
}

describe("the quick claim of one GPU", () => {
  it("[T5] takes the job that loses least, and follows starts, checkpoints and ends", () => {
    const world = guests();
    world.submit("old", "lab/x", { gpus: 2 });
    world.run("old").tick(minute);
    world.submit("saves", "lab/y", { gpus: 2, checkpoint: { every: "10m" } });
    world.run("saves").tick(minute);
    world.submit("young", "shop/z", { gpus: 4 });
    assert.deepEqual(quickVictims(world), ["young"]); // it does not run yet
    world.run("young").tick(7 * minute);
    assert.deepEqual(quickVictims(world), ["young"]);
    world.tick(2 * minute);
    assert.deepEqual(quickVictims(world), ["saves"]); // it has saved its work just now
    world.must({ kind: "job.cancel", job: jobId("saves") });
    assert.deepEqual(quickVictims(world), []); // the seats that it leaves are enough
    world.exit("saves", 0);
    world.submit("last", "lab/x", { gpus: 2 });
    assert.deepEqual(quickVictims(world), ["last"]);
  });

  it("[T5] of jobs that lose as much takes the one with the fewest GPUs, then that of the side with the largest share", () => {
    const world = guests();
    world.submit("wide", "lab/x", { gpus: 4 });
    world.submit("a", "lab/y");
    world.submit("b", "shop/z");
    world.submit("pair", "shop/z", { gpus: 2 });
    for (const name of ["wide", "a", "b", "pair"]) world.run(name);
    world.tick(minute);
    assert.deepEqual(quickVictims(world), ["a"]);
  });

  it("[T5] passes over accounts at their guarantee, and jobs that leave no room", () => {
    const world = guests();
    world.submit("cores", "lab/x", { gpus: 0, cpus: 4 });
    world.submit("wide", "lab/y", { gpus: 4 });
    world.submit("late", "shop/z", { gpus: 4 });
    world.run("wide").run("late").tick(minute);
    assert.deepEqual(quickVictims(world), ["late"]);
    const shop = world.state.accountByPath.get("shop")!;
    const quota = { ...shop.terms.quota, guarantee: { "*": 4 * 21_000 } };
    world.must({ kind: "account.edit", path: "shop", terms: { ...shop.terms, quota } });
    assert.deepEqual(quickVictims(world), ["wide"]);
  });

  it("[C2, T5] takes the job that loses least of those that a guarantee above covers", () => {
    const world = new World().nodes(["n1", "H100:4"], ["n2", "H100:4"]);
    world.account("lab", { guarantee: 4 });
    world.account("lab/owner", { guarantee: 2 });
    for (const path of ["lab/x", "lab/y", "guest"]) world.account(path);
    for (const [name, path, gpus] of [
      ["burst", "guest", 4],
      ["older", "lab/x", 2],
      ["younger", "lab/y", 2],
    ] as const) {
      world.submit(name, path, { gpus });
      world.run(name).tick(minute);
    }
    assert.deepEqual(quickVictims(world, "lab/owner"), ["younger"]);
  });

  it("[T5] finds what the full search finds, whatever happened before", () => {
    let compared = 0;
    for (let seed = 1; seed <= 40; seed++) compared += compareOn(story(seed));
    assert.ok(compared > 200, `compared ${compared} times`);
  });
});

/** Random guests come, run, save their work, and go. */
function* story(seed: number): Generator<World> {
  const roll = diceOf(seed);
  const world = guests();
  let names: string[] = [];
  for (let step = 0; step < 40; step++) {
    const name = `${seed}x${step}`;
    const gpus = [1, 1, 2, 4][roll(4)]!;
    const saves = roll(3) === 0 && { checkpoint: { every: `${2 + roll(4)}m` } };
    world.submit(name, ["lab/x", "lab/y", "shop/z", "lab"][roll(4)]!, { gpus, ...saves });
    names.push(name);
    for (const each of names) if (world.stateOf(each) === "starting" && roll(2) === 0) world.run(each);
    if (roll(5) === 0) world.must({ kind: "job.cancel", job: jobId(names[roll(names.length)]!) });
    if (roll(3) === 0) {
      const [running] = names.filter((each) => world.stateOf(each) === "running");
      if (running !== undefined) world.exit(running, 0);
    }
    names = names.filter((each) => world.stateOf(each) !== "ended");
    world.tick(roll(90) * 1_000);
    yield world;
  }
}

/** How often there was something to compare. */
function compareOn(worlds: Iterable<World>): number {
  let compared = 0;
  for (const world of worlds) {
    const { state, now } = world;
    const job = jobOf(world, "owner");
    if (placeJob(state, job, now, undefined) !== undefined) continue;
    const quick = quickReclaim(requestOf(world, job));
    assert.ok(quick !== "none");
    const searched = searchClaim(requestOf(world, job));
    const lost = (plan: typeof quick) => plan && [...plan.victims.keys()].map((victim) => lostMs(victim, now));
    assert.deepEqual(lost(quick), lost(searched));
    compared++;
  }
  return compared;
}
