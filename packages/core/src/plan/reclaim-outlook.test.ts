import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { noAccount } from "../model/ids.ts";
import { minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { willPreempt, willReclaimFrom, willTakeBack } from "./reclaim-outlook.ts";

const minRuntimeMs = 10 * minute;
const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;

/** `lab` has a guarantee of two GPUs, used by a covered job; all other jobs run as burst. */
function world(): World {
  const w = new World().nodes(["n", "H100:8"]).account("lab", { guarantee: 2 }).account("other");
  w.must({ kind: "policy.set", policy: { rebalance: "off", minRuntimeMs, graceMs: 0, backfill: true } });
  w.submit("covered", "lab", { gpus: 2 });
  w.submit("low", "lab", { gpus: 1, priority: "low" });
  w.submit("foreign", "other", { gpus: 1, max_time: "1h" });
  w.submit("equal", "lab", { gpus: 1 });
  for (const id of ["covered", "low", "foreign", "equal"]) w.run(id);
  w.submit("planned", "lab", { gpus: 8 });
  return w;
}

describe("what a planned job takes back when its time has come", () => {
  it("[T1] burst work outside the guarantee that will cover it, none without such a guarantee", () => {
    const w = world();
    const job = jobOf(w, "planned");
    const { account: other } = jobOf(w, "foreign");
    const covered = { job, at: w.now, cover: job.account };
    assert.ok(willReclaimFrom(w.state, covered, other));
    assert.ok(!willReclaimFrom(w.state, covered, job.account));
    assert.ok(!willReclaimFrom(w.state, { ...covered, cover: noAccount }, other));
  });

  it("[T3, T8] lower priority in its own account that is past min_runtime by then and not covered lower", () => {
    const w = world();
    const job = jobOf(w, "planned");
    const at = w.now + minRuntimeMs;
    const planned = { job, at, cover: job.account };
    assert.ok(willPreempt(w.state, planned, jobOf(w, "low"), w.now));
    assert.ok(!willPreempt(w.state, planned, jobOf(w, "low"), w.now + 1));
    assert.ok(!willPreempt(w.state, planned, jobOf(w, "equal"), w.now));
    assert.ok(!willPreempt(w.state, planned, jobOf(w, "foreign"), w.now));
    // The lower job might be promoted into the guarantee, and would then be covered lower than the planned one.
    assert.ok(!willPreempt(w.state, { ...planned, cover: noAccount }, jobOf(w, "low"), w.now));
    assert.ok(willTakeBack(w.state, planned, jobOf(w, "low"), w.now));
    assert.ok(willTakeBack(w.state, planned, jobOf(w, "foreign"), w.now));
    assert.ok(!willTakeBack(w.state, planned, jobOf(w, "equal"), w.now));
  });
});
