import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute, unitsPerGpu } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { Timeline } from "./timeline.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;
const plannedIn = (w: World, id: string) => {
  const at = w.memory.startsAt.get(jobOf(w, id));
  return at === undefined ? undefined : at - w.now;
};
const stateOf = (w: World, ...ids: string[]) => ids.map((id) => w.stateOf(id));

describe("the earliest start of a job", () => {
  it("[B1] is behind the plans before it, or in a gap that it does not outlast", () => {
    const w = new World().nodes(["n", "H100:4"]).account("lab");
    w.submit("wall", "lab", { gpus: 3, max_time: "1h" });
    w.run("wall").submit("later", "lab", { gpus: 4, max_time: "1h", notBeforeAt: w.now + 3 * hour });
    w.submit("wide", "lab", { gpus: 4, max_time: "2h" });
    w.submit("next", "lab", { gpus: 4, max_time: "90m" });
    const timeline = new Timeline(w.state, w.now);
    const starts = ["later", "wide", "next"].map((id) => timeline.plan(jobOf(w, id))!.at - w.now);
    assert.deepEqual(starts, [3 * hour, hour, 4 * hour]);
    assert.deepEqual(
      timeline.plans.map(({ start }) => start.guessed),
      [false, false, false],
    );
  });

  it("[B1] cannot be predicted where it needs seats of a job with an unknown end", () => {
    const w = new World().nodes(["n", "H100:4"]).account("lab");
    w.submit("open", "lab", { gpus: 1 });
    w.submit("hour", "lab", { gpus: 3, max_time: "1h" });
    w.run("open").run("hour").submit("wide", "lab", { gpus: 4 });
    w.submit("less", "lab", { gpus: 3 });
    assert.deepEqual([plannedIn(w, "wide"), plannedIn(w, "less")], [undefined, hour]);
  });

  it("[B5] is after a maintenance window that the job would run into", () => {
    const w = new World().nodes(["n", "H100:4"]).account("lab");
    w.submit("wall", "lab", { gpus: 4, max_time: "1h" });
    w.run("wall");
    const window = { from: w.now + 2 * hour, to: w.now + 3 * hour, reason: "new driver" };
    w.must({ kind: "node.maintenance", node: "n", window });
    w.submit("long", "lab", { gpus: 4, max_time: "2h" });
    w.submit("short", "lab", { gpus: 4, max_time: "1h" });
    assert.deepEqual([plannedIn(w, "long"), plannedIn(w, "short")], [3 * hour, hour]);
  });

  it("[B1, T1] counts what a guarantee that becomes free could reclaim", () => {
    const w = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"]).account("lab", { guarantee: 2 }).account("other");
    w.submit("covered", "lab", { nodes: 2, gpus: 1, max_time: "1h" });
    w.submit("burst0", "other");
    w.submit("burst1", "other");
    for (const id of ["covered", "burst0", "burst1"]) w.run(id);
    w.submit("wide", "lab", { gpus: 2 });
    const timeline = new Timeline(w.state, w.now);
    const start = timeline.plan(jobOf(w, "wide"))!;
    assert.deepEqual([start.at - w.now, start.cover], [hour, jobOf(w, "wide").account]);
  });
});

describe("a job that waits for quota", () => {
  it("[B4] is planned for when its max has room, and a later job of the account leaves it that room", () => {
    const w = new World().nodes(["n0", "H100:8"], ["n1", "H100:8"]).account("lab", { max: 6 });
    w.submit("runs", "lab", { gpus: 4, max_time: "1h" });
    w.run("runs").submit("wide", "lab", { gpus: 5, max_time: "1h" });
    assert.equal(plannedIn(w, "wide"), hour);
    w.submit("late", "lab", { gpus: 2, max_time: "2h" });
    w.submit("short", "lab", { gpus: 1, max_time: "1h" });
    w.submit("beside", "lab", { gpus: 1, max_time: "2h" });
    assert.deepEqual(stateOf(w, "wide", "late", "short", "beside"), ["waiting", "waiting", "starting", "starting"]);
    assert.equal(plannedIn(w, "wide"), hour);
  });

  it("[B4] is planned for when enough is free beside a guarantee that is not lent, which a later job leaves free", () => {
    const quota = { guarantee: { "*": 4 * unitsPerGpu }, lendable: { "*": 0 }, weight: 1 };
    const w = new World().nodes(["n", "H100:8"]).account("keeps", { quota }).account("lab").account("other");
    w.submit("runs", "lab", { gpus: 3, max_time: "1h" });
    w.run("runs").submit("wide", "lab", { gpus: 4, max_time: "1h" });
    assert.equal(plannedIn(w, "wide"), hour);
    w.submit("late", "other", { gpus: 1, max_time: "2h" });
    assert.deepEqual([w.stateOf("late"), plannedIn(w, "wide")], ["waiting", hour]);
    w.submit("short", "other", { gpus: 1, max_time: "30m" });
    assert.deepEqual([w.stateOf("short"), plannedIn(w, "wide")], ["starting", hour]);
  });

  it("[B4] as preemptible: false is planned for when its guarantee has room, which a later job leaves to it", () => {
    const w = new World().nodes(["n", "H100:8"]).account("lab", { guarantee: 4 });
    w.submit("runs", "lab", { gpus: 3, max_time: "1h" });
    w.run("runs").submit("firm", "lab", { gpus: 4, preemptible: false, max_time: "1h" });
    assert.equal(plannedIn(w, "firm"), hour);
    w.submit("late", "lab", { gpus: 1, max_time: "2h" });
    assert.deepEqual([w.stateOf("late"), plannedIn(w, "firm")], ["waiting", hour]);
    w.submit("short", "lab", { gpus: 1, max_time: "30m" });
    assert.equal(w.stateOf("short"), "starting");
  });

  it("[B1, T3] is planned for when less urgent work of its account can be preempted", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a", { max: 2, guarantee: 2 });
    const minRuntimeMs = 10 * minute;
    w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs, graceMs: 0, backfill: true } });
    w.submit("low", "a", { gpus: 2, priority: "low" });
    w.run("low").submit("high", "a", { gpus: 2, priority: "high" });
    assert.equal(plannedIn(w, "high"), minRuntimeMs);
  });
});
