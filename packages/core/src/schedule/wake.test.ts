import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPolicy } from "../model/policy.ts";
import { diceOf } from "../testing/dice.ts";
import { jobId, World } from "../testing/world.ts";
import { outlookOf } from "../why/outlook.ts";

const accounts = ["lab/x", "lab/y", "shop/z", "shop/w"];

/** A small full fleet with so many waiting groups that a change tries only some of them. */
function crowded(seed: number, backfill: boolean): { world: World; roll: (sides: number) => number } {
  const roll = diceOf(seed);
  const world = new World().nodes(["n1", "H100:4"], ["n2", "H100:4"]);
  world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", minRuntimeMs: 0, backfill } });
  world.account("lab", { guarantee: 3 }).account("shop");
  for (const path of accounts) world.account(path, { guarantee: path === "lab/x" ? 1 : 0 });
  for (let i = 0; i < 330; i++) {
    const limit = roll(2) === 0 ? {} : { max_time: `${1 + roll(30)}m` };
    const gpus = [1, 1, 1, 2, 4][roll(5)]!;
    world.submit(`j${i}`, accounts[roll(4)]!, { gpus, cpus: 1 + (i % 7), memory: `${1 + (i % 50)}GiB`, ...limit });
  }
  return { world, roll };
}

/** Time passes until all groups have had their turn and all stopping jobs have left. */
function settle(world: World): void {
  for (let left = 2_000; left > 0; left--) {
    const events = world.tick(100);
    for (const job of [...world.state.jobs.values()]) {
      const name = job.id.replace("job_", "");
      if (job.state === "stopping") for (const { rank } of job.leases) world.exit(name, 143, rank);
      else if (job.state === "starting") world.run(name);
    }
    if (events.length === 0 && world.state.waiting.turnAt === undefined) return;
  }
  assert.fail("it does not come to rest");
}

/** Jobs end or are cancelled, all groups have their turn, then `check` is called; six times. */
function live(seed: number, backfill: boolean, check: (world: World) => void): void {
  const { world, roll } = crowded(seed, backfill);
  const { state } = world;
  for (let step = 0; step < 6; step++) {
    const running = [...state.jobs.values()].filter((job) => job.state === "running");
    const job = running[roll(running.length)];
    if (job !== undefined) for (const { rank } of job.leases) world.exit(job.id.replace("job_", ""), 0, rank);
    if (roll(3) === 0) world.must({ kind: "job.cancel", job: jobId(`j${roll(330)}`) });
    settle(world);
    assert.ok(state.waiting.isLong, `${state.waiting.groups.size} groups wait`);
    check(world);
  }
}

describe("waking waiting jobs", () => {
  it("[O4, T1, T2] misses no job that could start or claim, once all groups have had their turn", () => {
    for (let seed = 1; seed <= 3; seed++)
      live(seed, false, ({ state, now }) => {
        for (const { jobs } of state.waiting.groups)
          assert.notEqual(outlookOf(state, jobs[0]!, now).when, "now", `${jobs[0]!.id} waits and could start or take`);
      });
  });

  it("[O4, B2] finds nothing more to do when all groups are tried again beside the plans", () => {
    for (let seed = 1; seed <= 3; seed++)
      live(seed, true, (world) => {
        const before = world.events.length;
        world.state.waiting.roomChanged();
        settle(world);
        const done = world.events.slice(before).filter(({ kind }) => kind === "job-placed" || kind === "job-claimed");
        assert.deepEqual(done, []);
      });
  });
});
