import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import type { IdleTerms } from "../model/idle.ts";
import { minute } from "../model/units.ts";
import { idleRuleFor } from "../run/idle.ts";
import { jobId, World } from "../testing/world.ts";

const halfHour: IdleTerms = { do: "stop", forMs: 30 * minute, gpuBelow: 500 };

function world(idle: IdleTerms | "none" = halfHour): World {
  return new World()
    .nodes(["n0", "H100:8"])
    .account("lab", idle === "none" ? {} : { idle })
    .account("lab/vision");
}

function started(w: World, id: string, raw: Parameters<World["submit"]>[2] = {}): number {
  assert.ok(!isRefusal(w.submit(id, "lab/vision", raw)), id);
  w.run(id);
  return w.now;
}

function seen(w: World, id: string, since: number, activity = 3): string[] {
  const job = w.job(id);
  const events = w.must({ kind: "job.idle", job: jobId(id), attempt: job.attempt, since, activity });
  return events.map(({ kind }) => kind);
}

describe("jobs whose GPUs are idle", () => {
  it("[L4] are told of before, and stopped when the limit is reached, with what was measured", () => {
    const w = world();
    const since = started(w, "a");
    w.tick(19 * minute);
    assert.deepEqual(seen(w, "a", since), [], "no warning before its time");
    w.tick(minute);
    assert.deepEqual(seen(w, "a", since), ["job-idle"]);
    const warned = w.events.at(-1)!;
    assert.equal(warned.kind === "job-idle" && warned.actsAt, since + 30 * minute);
    w.tick(10 * minute);
    assert.deepEqual(seen(w, "a", since), ["lease-stopping"]);
    assert.equal(w.job("a").stopCause, "idle");
    w.exit("a", 143);
    const ended = w.events.find(({ kind }) => kind === "job-ended");
    assert.deepEqual(ended?.kind === "job-ended" && [ended.outcome, ended.reason], [
      "timed-out",
      "its GPUs were below 5% for 30m (measured at most 0.03%)",
    ]);
  });

  it("[L4] [L1] are suspended where the rule says so, and go on when they are released", () => {
    const w = world({ ...halfHour, do: "suspend" });
    const since = started(w, "a");
    w.tick(30 * minute);
    assert.deepEqual(seen(w, "a", since), ["job-held", "lease-stopping"]);
    w.exit("a", 0);
    assert.deepEqual([w.stateOf("a"), w.job("a").held, w.job("a").attempt], ["waiting", true, 2]);
    w.must({ kind: "job.release", job: jobId("a") });
    assert.equal(w.stateOf("a"), "starting");
  });

  it("[L4] are only told of with notify, and not before the limit is reached", () => {
    const w = world({ ...halfHour, do: "notify" });
    const since = started(w, "a");
    w.tick(29 * minute);
    assert.deepEqual(seen(w, "a", since), []);
    w.tick(minute);
    assert.deepEqual(seen(w, "a", since), ["job-idle"]);
    assert.equal(w.stateOf("a"), "running");
  });

  it("[L4] [S35] nothing happens on what was measured before this attempt, above the share, or of a job without a rule", () => {
    const w = world();
    const since = started(w, "a");
    w.tick(40 * minute);
    assert.deepEqual(seen(w, "a", since - 1), []);
    assert.deepEqual(seen(w, "a", since, 500), []);
    assert.deepEqual(w.must({ kind: "job.idle", job: jobId("a"), attempt: 2, since, activity: 0 }), []);
    const free = world("none");
    const begun = started(free, "b");
    free.tick(40 * minute);
    assert.deepEqual(seen(free, "b", begun), []);
  });

  it("[L4] a job may be stricter than the nearest account, and milder only where that allows it", () => {
    const w = world();
    w.account("lab/free", { idle: { ...halfHour, relax: true } });
    const ruleOf = (account: string, idle?: { for: string; do?: "notify" | "stop"; gpu_below?: string }) => {
      const id = `${account.replace("/", "-")}-${JSON.stringify(idle)}`;
      w.submit(id, account, idle === undefined ? {} : { idle });
      return idleRuleFor(w.state, w.job(id));
    };
    assert.deepEqual(ruleOf("lab/vision"), halfHour);
    assert.deepEqual(ruleOf("lab/vision", { for: "2h", do: "notify", gpu_below: "1%" }), halfHour);
    assert.deepEqual(ruleOf("lab/vision", { for: "5m", gpu_below: "10%" }), {
      do: "stop",
      forMs: 5 * minute,
      gpuBelow: 1_000,
    });
    assert.deepEqual(ruleOf("lab/free", { for: "2h", do: "notify" }), {
      do: "notify",
      forMs: 120 * minute,
      gpuBelow: 500,
    });
  });

  it("[L4] bad rules are refused with the field, the value and the fix", () => {
    const w = world();
    const refused = (idle: { for: string; gpu_below?: string }, gpus = 1) => {
      const answer = w.submit("bad", "lab", { idle, gpus });
      return isRefusal(answer) ? [answer.field, answer.value] : answer;
    };
    assert.deepEqual(refused({ for: "45m", gpu_below: "60%" }), ["idle.gpu_below", "60%"]);
    assert.deepEqual(refused({ for: "45m", gpu_below: "0.01%" }), ["idle.gpu_below", "0.01%"]);
    assert.deepEqual(refused({ for: "1s" }), ["idle.for", "1s"]);
    assert.deepEqual(refused({ for: "60d" }), ["idle.for", "60d"]);
    assert.deepEqual(refused({ for: "45m" }, 0), ["idle", null]);
  });
});
