import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainTerms } from "../model/account.ts";
import { hour, minute } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { World } from "../testing/world.ts";
import { aheadOf } from "../why/reason-for.ts";

/** One GPU, and a job on it that lets the others wait. */
function queue(order: "age" | "aged-shortest" | "attained-service"): World {
  const w = new World().nodes(["n", "H100:1"]).account("a", { order });
  w.must({ kind: "policy.set", policy: { rebalance: "off", minRuntimeMs: 0, graceMs: 0, backfill: false } });
  w.submit("first", "a", { priority: 100 });
  w.run("first");
  return w;
}

/** Lets one job after the other run for a moment; the jobs in the order in which they ran. */
function started(w: World): string[] {
  const found: string[] = [];
  for (;;) {
    const job = [...w.state.jobs.values()].find((each) => each.state !== "waiting");
    if (job === undefined) return found.slice(1);
    const id = job.id.replace("job_", "");
    found.push(id);
    if (job.state === "starting") w.run(id);
    w.exit(id, 0);
  }
}

/** The waiting job that is next. */
function nextOf(w: World): string {
  const waiting = [...w.state.jobs.values()].filter(({ state }) => state === "waiting");
  return waiting.find((job) => aheadOf(w.state, job) === 0)!.id.replace("job_", "");
}

describe("order inside an account", () => {
  it("[O3] is by priority, then age, unless the account chose another order", () => {
    const w = queue("age");
    w.submit("long", "a", { max_time: "10h" });
    w.submit("short", "a", { max_time: "10m" });
    w.submit("urgent", "a", { max_time: "20h", priority: 1 });
    assert.deepEqual(started(w), ["urgent", "long", "short"]);
  });

  it("[O3] aged-shortest lets shorter jobs go first, and jobs without a declared time last, at equal priority", () => {
    const w = queue("aged-shortest");
    w.submit("silent", "a");
    w.submit("long", "a", { max_time: "10h" });
    w.submit("short", "a", { max_time: "30m" });
    w.submit("same", "a", { max_time: "30m" });
    w.submit("urgent", "a", { max_time: "20h", priority: 1 });
    assert.deepEqual(started(w), ["urgent", "short", "same", "long", "silent"]);
  });

  it("[O3] aged-shortest counts times below ten minutes as ten minutes", () => {
    const w = queue("aged-shortest");
    w.submit("ten", "a", { max_time: "10m" });
    w.submit("one", "a", { max_time: "1m" });
    assert.deepEqual(started(w), ["ten", "one"]);
  });

  it("[O3] aged-shortest goes by the expected time before the limit", () => {
    const w = queue("aged-shortest");
    w.submit("limited", "a", { max_time: "1h" });
    w.submit("expected", "a", { max_time: "10h", expected_time: "30m" });
    assert.deepEqual(started(w), ["expected", "limited"]);
  });

  it("[O3] aged-shortest starves no job: waiting for 3.1 usual run times counts as asking for half the time", () => {
    for (const [waited, first] of [
      [37 * hour, "short"], // the usual run time is taken to be 6 h while nothing has ended
      [38 * hour, "long"],
    ] as const) {
      const w = queue("aged-shortest");
      w.submit("much", "a", { max_time: "100h" });
      w.submit("long", "a", { max_time: "4h" });
      w.tick(waited);
      w.submit("short", "a", { max_time: "1h" });
      assert.equal(nextOf(w), first, `${waited / hour} h`);
    }
  });

  it("[O3] aged-shortest lets a job that found a short backlog age faster: one usual run time then counts as 3.1", () => {
    for (const [waited, first] of [
      [11 * hour, "short"],
      [13 * hour, "long"],
    ] as const) {
      const w = queue("aged-shortest");
      w.submit("long", "a", { max_time: "4h" });
      w.tick(waited);
      w.submit("short", "a", { max_time: "1h" });
      assert.equal(nextOf(w), first, `${waited / hour} h`);
    }
  });

  it("[O3] aged-shortest learns the usual run time from ended jobs, and keeps it over a restart", () => {
    for (const [waited, first] of [
      [2 * hour, "short"], // two halvings of 5,000 s, the least that counts, are 2.8 h
      [3 * hour, "long"],
    ] as const) {
      const w = queue("aged-shortest");
      w.submit("quick", "a", { priority: 200, max_time: "1h" });
      w.report("first", { kind: "exited", ran: true, code: 0, done: true });
      w.run("quick").tick(minute);
      w.submit("next", "a", { priority: 100 });
      w.exit("quick", 0);
      const again = new World(readSnapshot(writeSnapshot(w.state)));
      again.now = w.now;
      again.submit("long", "a", { max_time: "4h" });
      again.tick(waited);
      again.submit("short", "a", { max_time: "1h" });
      assert.equal(nextOf(again), first, `${waited / hour} h`);
    }
  });

  it("[O3] aged-shortest lets jobs of more GPUs wait a little longer", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a", { order: "aged-shortest" });
    w.submit("first", "a", { gpus: 4 });
    w.submit("wide", "a", { gpus: 4, max_time: "1h" });
    w.submit("narrow", "a", { gpus: 1, max_time: "1h" });
    assert.equal(nextOf(w), "narrow");
  });

  it("[O3] attained-service lets the job with the least GPU time so far go first, and keeps that over a restart", () => {
    const w = new World().nodes(["n0", "H100:1"], ["n1", "H100:1"]).account("a", { order: "attained-service" });
    w.submit("much", "a");
    w.run("much").tick(20 * minute);
    w.submit("little", "a");
    w.run("little").tick(5 * minute);
    w.must({ kind: "node.down", node: "n0", reason: "fan" });
    w.must({ kind: "node.down", node: "n1", reason: "fan" });
    w.submit("fresh", "a");
    const again = new World(readSnapshot(writeSnapshot(w.state)));
    again.now = w.now;
    again.must({ kind: "node.up", node: "n1" });
    assert.deepEqual(started(again), ["little", "much"]);
  });

  it("[O3] may be changed while jobs wait", () => {
    const w = queue("age");
    w.submit("old", "a", { max_time: "1h" });
    w.submit("long", "a", { max_time: "10h" });
    w.submit("short", "a", { max_time: "10m" });
    const { quota } = w.state.accountByPath.get("a")!.terms;
    w.must({ kind: "account.edit", path: "a", terms: { ...plainTerms, quota, order: "aged-shortest" } });
    assert.deepEqual(started(w), ["short", "old", "long"]);
  });
});
