import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Seat } from "../journal/event.ts";
import type { JobNo, NodeNo } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { hour, minute } from "../model/units.ts";
import { demandOf } from "../quota/demand.ts";
import { newJob } from "../state/apply/new-job.ts";
import { parseJob } from "../submit/parse.ts";
import { ana, jobId, World } from "../testing/world.ts";
import { Timeline } from "./timeline.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;
const oneGpu = { gpus: 1, cpusMilli: 0, memoryMiB: 0 };

/**
 * Of the four GPUs of `n0`, one is held by a covered job for an hour; the one of `n1` by burst work without an end. `wide`
 * of `lab` is planned on all of `n0`, inside its guarantee where it has one; `probe` waits behind it.
 */
function planned(guarantee = 0): { w: World; timeline: Timeline } {
  const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:1"]);
  w.account("lab", { guarantee }).account("owner", { guarantee: 1 }).account("third");
  w.submit("fill", "third", { gpus: 1 });
  w.submit("wall", "owner", { gpus: 1, max_time: "1h" });
  w.run("fill").run("wall").submit("wide", "lab", { gpus: 4 });
  w.submit("probe", "lab", { gpus: 4 });
  w.submit("foreign", "third", { gpus: 4 });
  const timeline = new Timeline(w.state, w.now);
  assert.equal(timeline.plan(jobOf(w, "wide"))?.at, w.now + hour);
  return { w, timeline };
}

/** How many members of one GPU a job may put on `n0`. */
function mayTake({ w, timeline }: { w: World; timeline: Timeline }, job: Job, burst: boolean): number {
  return timeline.backfill.mayTake(job, burst, w.state.fleet.nodes[0]!, oneGpu, 3);
}

function lasting(job: Job, maxTimeMs: number): Job {
  return { ...job, spec: { ...job.spec, maxTimeMs } };
}

describe("a job that starts beside plans", () => {
  it("[B2] takes the room of a plan only if it ends before the plan starts", () => {
    const world = planned();
    const probe = jobOf(world.w, "probe");
    assert.deepEqual(
      [hour, hour + 1].map((ms) => mayTake(world, lasting(probe, ms), false)),
      [3, 0],
    );
    const [n1] = world.w.state.fleet.nodes.slice(1);
    assert.equal(world.timeline.backfill.mayTake(probe, false, n1!, oneGpu, 1), 1);
  });

  it("[B2] as burst may run in the gap of a plan that can reclaim it", () => {
    const world = planned(4);
    const foreign = jobOf(world.w, "foreign");
    assert.deepEqual([mayTake(world, foreign, true), mayTake(world, foreign, false)], [3, 0]);
    assert.equal(mayTake(world, jobOf(world.w, "probe"), true), 0);
    const open = planned();
    assert.equal(mayTake(open, jobOf(open.w, "foreign"), true), 0);
  });

  it("[B2] does not wait for its own plan, nor for one behind it in its account", () => {
    const world = planned();
    const { w } = world;
    assert.equal(mayTake(world, jobOf(w, "wide"), false), 3);
    w.submit("urgent", "lab", { gpus: 4, priority: "high" });
    assert.equal(mayTake(world, jobOf(w, "urgent"), false), 3);
  });

  it("[B2, P1] grows only onto what no plan needs while it runs", () => {
    const { w, timeline } = planned();
    const grows = (id: string) => {
      const job = jobOf(w, id);
      const beside = timeline.backfill.besideGrowth(job, demandOf(w.state, job, 0, 0));
      return beside.mayTake(w.state.fleet.nodes[0]!, oneGpu, 3);
    };
    assert.deepEqual([grows("fill"), grows("wall")], [0, 3]);
  });

  it("[O4] claims no GPU of a plan ahead of it in its account; between accounts the claim comes first", () => {
    const { w, timeline } = planned();
    const seats: Seat[] = [{ node: 0 as NodeNo, gpus: jobOf(w, "wall").leases[0]!.gpus }];
    const mayClaim = (id: string) => {
      const job = jobOf(w, id);
      return timeline.backfill.mayClaim(job, demandOf(w.state, job, 0, 0), seats);
    };
    assert.deepEqual([mayClaim("probe"), mayClaim("foreign"), mayClaim("wide")], [false, true, true]);
  });

  it("[B8] leaves a plan the guarantee by which it takes work back", () => {
    const w = new World().nodes(["n", "H100:8"]).account("a", { max: 5, guarantee: 2 });
    const minRuntimeMs = 10 * minute;
    w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs, graceMs: 0, backfill: true } });
    for (const name of ["low", "lower"]) w.submit(name, "a", { gpus: 2, priority: "low" });
    w.run("low").run("lower").submit("high", "a", { gpus: 2, priority: "high" });
    const startsAt = w.now + minRuntimeMs;
    w.tick(minute);
    w.submit("late", "a", { gpus: 1, priority: "low" });
    assert.equal(w.stateOf("late"), "waiting");
    assert.deepEqual([...w.memory.startsAt.values()], [startsAt]);
  });

  it("[B8] as burst leaves a plan its guarantee once burst work of another account runs in the plan's gap", () => {
    const w = new World().nodes(["a", "H100:3"], ["b", "H100:3"]).account("lab", { guarantee: 3 }).account("shop");
    w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs: 0, graceMs: 0, backfill: false } });
    w.submit("two", "lab", { nodes: 2, max_time: "10m" });
    w.submit("one", "lab", { max_time: "10m" });
    w.submit("wide", "lab", { gpus: 3 });
    const timeline = new Timeline(w.state, w.now);
    const wide = jobOf(w, "wide");
    assert.deepEqual([...timeline.plan(wide)!.takes.keys()], [0]);
    const spec = parseJob({ run: "true", gpus: 1 }, { after: [] }) as JobSpec;
    const late = newJob({ spec, account: wide.account, user: ana, at: w.now }, 0, 1_000_000 as JobNo, jobId("late"));
    const mayStart = () => timeline.backfill.mayHold(late, demandOf(w.state, late, 0, 0), true);
    assert.equal(mayStart(), true);
    w.submit("lent", "shop", { max_time: "30m" });
    const lent = jobOf(w, "lent");
    assert.equal(lent.leases[0]!.node, 0);
    timeline.started(lent);
    assert.equal(mayStart(), false);
  });
});
