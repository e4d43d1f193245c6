import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../journal/event.ts";
import { plainPolicy } from "../model/policy.ts";
import { hour } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";

const betweenTurnsMs = 250;
const gpus = 8;
const startedAt = new World().now;

/** A full fleet in the hands of `guest`, and jobs of `lab` that all differ and may not claim while its weight is 0. */
function crowd(jobs: number, backfill = true): World {
  const world = new World().nodes(["n", `H100:${gpus}`]);
  world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", minRuntimeMs: 0, backfill } });
  world.account("guest").account("lab", { quota: { guarantee: {}, weight: 0 } });
  for (let i = 0; i < gpus; i++) world.submit(`guest${i}`, "guest", { max_time: i === 0 ? "2h" : "1h" });
  for (let i = 0; i < gpus; i++) world.run(`guest${i}`);
  for (let i = 0; i < jobs; i++) world.submit(`lab${i}`, "lab", { memory: `${i + 1}GiB` });
  rest(world);
  return world;
}

/** Lets rounds of turns come to their end. */
function rest(world: World): Event[] {
  const events: Event[] = [];
  while (world.state.waiting.turnAt !== undefined) events.push(...world.tick(betweenTurnsMs));
  return events;
}

/** From now on `lab` may claim a fair share. */
function giveWeight(world: World): Event[] {
  const { terms } = world.state.accountByPath.get("lab")!;
  return world.must({ kind: "account.edit", path: "lab", terms: { ...terms, quota: { ...terms.quota, weight: 1 } } });
}

function claimants({ state }: World, events: readonly Event[]): string[] {
  return events.flatMap((event) => (event.kind === "job-claimed" ? [state.jobs.get(event.job)!.id] : []));
}

function turns(events: readonly Event[]): number[] {
  return events.flatMap((event) => (event.kind === "turn-taken" ? [event.upTo] : []));
}

const fairShare = [0, 1, 2, 3].map((i) => jobId(`lab${i}`));

describe("turns of very many groups", () => {
  it("[B6] claim by fair share 250 ms after a change, in the order of their first jobs", () => {
    const world = crowd(300);
    assert.ok(world.state.waiting.isLong);
    assert.deepEqual(claimants(world, giveWeight(world)), []);
    assert.deepEqual(world.tick(betweenTurnsMs - 1), []);
    const turn = world.tick(1);
    assert.deepEqual(claimants(world, turn), fairShare);
    assert.equal(turns(turn).length, 1);
  });

  it("[B6] are not taken where no more than 256 groups wait", () => {
    const world = crowd(256);
    const events = giveWeight(world);
    assert.deepEqual(claimants(world, events), fairShare);
    assert.deepEqual(turns([...events, ...rest(world)]), []);
  });

  it("[B6] go on every 250 ms until every group has had its turn, once more if something changed meanwhile", () => {
    const world = crowd(600);
    giveWeight(world);
    const round = turns(rest(world));
    const ends = round.flatMap((upTo, i) => (upTo === 0 ? [i] : []));
    assert.ok(ends[0]! > 1, "one turn is enough for all groups");
    assert.deepEqual(ends, [ends[0], round.length - 1], "the claims of the first round are a change");
    const first = round.slice(0, ends[0]);
    assert.deepEqual(
      first,
      first.toSorted((a, b) => a - b),
    );
  });

  it("[B6] go on after a restart with the group that is next", () => {
    const world = crowd(600);
    giveWeight(world);
    world.tick(betweenTurnsMs);
    assert.ok(world.state.waiting.round.upTo > 0, "one turn is enough for all groups");
    const again = new World(readSnapshot(writeSnapshot(world.state)));
    again.now = world.now;
    assert.deepEqual(rest(again), rest(world));
  });

  it("[B6] plan new starts, while existing plans are worked out again at once", () => {
    const world = crowd(300, false);
    const wideStartsAt = () => world.memory.startsAt.get(world.state.jobById.get(jobId("wide"))!);
    world.submit("wide", "lab", { gpus, priority: "high", max_time: "1h" });
    rest(world);
    world.must({ kind: "policy.set", policy: { ...world.state.policy, backfill: true } });
    assert.equal(world.state.planned.size, 0);
    world.tick(betweenTurnsMs);
    assert.equal(wideStartsAt(), startedAt + 2 * hour);
    rest(world);
    const end = world.exit("guest0", 0); // the one that would have run longest
    assert.deepEqual(turns(end), [0]); // another round follows; no group has had its turn yet
    assert.equal(wideStartsAt(), startedAt + hour);
  });
});
