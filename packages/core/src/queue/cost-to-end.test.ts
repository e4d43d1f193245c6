import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute, second } from "../model/units.ts";
import { nextDueAt } from "../schedule/due.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import type { RawJob } from "../submit/parse.ts";
import { World } from "../testing/world.ts";

const checkpoint = { every: "1m", grace: "0s" };

/** One node in an account whose order may evict. */
function evicting(gpus: number, minRuntimeMs = 0): World {
  const w = new World()
    .nodes(["n", `H100:${gpus}`])
    .account("a", { order: "attained-service", quantumMs: 30 * minute });
  w.must({ kind: "policy.set", policy: { rebalance: "off", minRuntimeMs, graceMs: 0, backfill: false } });
  return w;
}

function starts(w: World, id: string, raw: Partial<RawJob> = {}): World {
  w.submit(id, "a", { checkpoint, ...raw });
  return w.run(id);
}

/** Lets a job run so long and come to its end, so that the account learns of it. */
function runs(w: World, id: string, ms: number): void {
  starts(w, id).tick(ms);
  w.exit(id, 0);
}

describe("the order of an account that may evict", () => {
  it("[O3] gives a running job's seats to one of the same priority that needs less GPU time to its end", () => {
    const w = starts(evicting(1), "long", { expected_time: "10h" });
    w.submit("short", "a", { expected_time: "1h" });
    assert.equal(w.stateOf("long"), "stopping");
    w.report("long", { kind: "exited", ran: true, signal: "SIGTERM" });
    assert.deepEqual([w.stateOf("short"), w.stateOf("long")], ["starting", "waiting"]);
    assert.equal([...w.state.jobs.values()].find(({ id }) => id === "job_long")!.evictions, 1);
  });

  it("[O3] counts what a job has already done", () => {
    const w = starts(evicting(1), "long", { expected_time: "10h" });
    w.tick(9 * hour + 30 * minute);
    w.submit("short", "a", { expected_time: "1h" });
    assert.equal(w.stateOf("long"), "running");
  });

  it("[O3] keeps a running job whose remaining work is less than a fifth more than another's", () => {
    for (const [expected_time, after] of [
      ["51m", "running"],
      ["49m", "stopping"],
    ] as const) {
      const w = starts(evicting(1), "runs", { expected_time: "1h" });
      w.submit("waits", "a", { expected_time });
      assert.equal(w.stateOf("runs"), after, expected_time);
    }
  });

  it("[O3] takes only jobs with a checkpoint, and none of another priority", () => {
    for (const raw of [{ checkpoint: undefined }, { priority: 1 }, { preemptible: false }]) {
      const w = evicting(1);
      w.submit("long", "a", { checkpoint, expected_time: "10h", ...raw });
      if (w.stateOf("long") === "waiting") continue; // not preemptible: it waits for a guarantee
      w.run("long");
      w.submit("short", "a", { expected_time: "1h" });
      assert.equal(w.stateOf("long"), "running", JSON.stringify(raw));
    }
  });

  it("[T8] leaves a job alone until its minimum run time is over, and looks again then", () => {
    const w = starts(evicting(1, 10 * minute), "long", { expected_time: "10h" });
    w.tick(minute);
    w.submit("short", "a", { expected_time: "1h" });
    assert.equal(w.stateOf("long"), "running");
    w.tick(9 * minute);
    assert.equal(w.stateOf("long"), "stopping");
  });

  it("[T6] takes a gang whole, and only if the claimant then starts", () => {
    const w = starts(evicting(4), "gang", { gpus: 1, members: 3, expected_time: "10h" });
    starts(w, "near", { expected_time: "2m" });
    w.submit("wide", "a", { gpus: 4, expected_time: "10m" });
    assert.deepEqual([w.stateOf("gang"), w.stateOf("near")], ["running", "running"]);
    w.submit("fits", "a", { gpus: 2, expected_time: "10m" });
    assert.deepEqual([w.stateOf("gang"), w.stateOf("near")], ["stopping", "running"]);
  });

  it("[O3] evicts no job unless the account has chosen so", () => {
    const w = new World().nodes(["n", "H100:1"]).account("a", { order: "attained-service" });
    w.must({ kind: "policy.set", policy: { rebalance: "off", minRuntimeMs: 0, graceMs: 0, backfill: false } });
    starts(w, "long", { expected_time: "10h" });
    w.submit("short", "a", { expected_time: "1h" });
    assert.equal(w.stateOf("long"), "running");
  });

  it("[O3] learns how long jobs run: one that has outlived the short ones makes room when the quantum is over", () => {
    const w = evicting(1);
    for (let i = 0; i < 20; i++) runs(w, `brief${i}`, 5 * minute);
    starts(w, "long");
    w.submit("fresh", "a", { checkpoint });
    assert.equal(w.stateOf("long"), "running"); // they are alike so far
    const at = nextDueAt(w.state, w.memory)!;
    assert.equal(at % (30 * minute), 0);
    w.tick(at - w.now);
    for (let looks = 0; w.stateOf("long") === "running" && looks < 10; looks++) w.tick(30 * minute);
    assert.equal(w.stateOf("long"), "stopping");
  });

  it("[O3] keeps what it learned, and how far each job has come, over a restart", () => {
    const w = evicting(1);
    for (let i = 0; i < 20; i++) runs(w, `brief${i}`, 5 * minute);
    starts(w, "far").tick(3 * hour);
    w.submit("fresh", "a", { checkpoint });
    w.report("far", { kind: "exited", ran: true, signal: "SIGTERM" });
    const text = writeSnapshot(w.state);
    const again = readSnapshot(text);
    assert.equal(writeSnapshot(again), text);
    assert.deepEqual([...again.lengths], [...w.state.lengths]);
    assert.equal(w.stateOf("fresh"), "starting");
  });

  it("[T10] comes to rest: an evicted job does not take its seats back", () => {
    const w = evicting(2);
    for (const hours of [9, 7, 5, 3, 1]) {
      w.submit(`h${hours}`, "a", { checkpoint, expected_time: `${hours}h` });
      w.tick(second);
      for (const job of w.state.jobs.values()) {
        const id = job.id.slice("job_".length);
        if (job.state === "starting") w.run(id);
        if (job.state === "stopping") w.report(id, { kind: "exited", ran: false });
      }
    }
    const evictions = () => w.events.filter((event) => event.kind === "job-requeued").length;
    const settled = evictions();
    for (let i = 0; i < 20; i++) {
      w.tick(second);
      for (const job of w.state.jobs.values()) if (job.state === "starting") w.run(job.id.slice("job_".length));
    }
    assert.equal(evictions(), settled);
    assert.deepEqual(
      [...w.state.jobs.values()].filter(({ state }) => state === "running").map(({ id }) => id),
      ["job_h3", "job_h1"],
    );
  });
});
