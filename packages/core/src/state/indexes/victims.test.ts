import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { must } from "../../model/must.ts";
import { plainPolicy } from "../../model/policy.ts";
import { minute } from "../../model/units.ts";
import { jobId, World } from "../../testing/world.ts";
import type { Verdict } from "./burst-order.ts";

/** Eight GPUs that three accounts without guarantees have borrowed. */
function lent(): World {
  const w = new World().nodes(["n", "H100:8"]).account("a").account("b").account("c", { guarantee: 1 });
  w.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "off" } });
  return w;
}

function starts(w: World, id: string, account: string, raw: Parameters<World["submit"]>[2] = {}): void {
  w.submit(id, account, raw);
  w.run(id);
  w.tick(minute);
}

/** The burst jobs in the order in which a guarantee would reclaim them. */
function order(w: World): string[] {
  const seen: string[] = [];
  w.state.burst.first(w.state, w.now, (job): Verdict => {
    seen.push(job.id.slice(4));
    return "not-this-job";
  });
  return seen;
}

describe("burst work", () => {
  it("[T1, T5] is reclaimed where the least work is lost, whenever it started", () => {
    const w = lent();
    starts(w, "old", "a");
    starts(w, "young", "b");
    assert.deepEqual(order(w), ["young", "old"]);
    starts(w, "youngest", "a");
    assert.deepEqual(order(w), ["youngest", "young", "old"]);
  });

  it("[T1] keeps its order after a search that fails", () => {
    const w = lent();
    for (const id of ["old", "young", "youngest"]) starts(w, id, "a");
    const judge = (job: { id: string }): Verdict => {
      if (job.id === jobId("old")) throw new Error("a bug in the judge");
      return "not-this-job";
    };
    assert.throws(() => w.state.burst.first(w.state, w.now, judge), /a bug in the judge/);
    assert.deepEqual(order(w), ["youngest", "young", "old"]);
  });

  it("[T5] loses only what came after the last checkpoint", () => {
    const w = lent();
    starts(w, "saves", "a", { checkpoint: { every: "2m" } });
    starts(w, "plain", "b");
    assert.deepEqual(order(w), ["saves", "plain"]);
  });

  it("[T5] leaves by priority inside one account", () => {
    const w = lent();
    starts(w, "low", "a", { priority: "low" });
    starts(w, "high", "a", { priority: "high" });
    assert.deepEqual(order(w), ["low", "high"]);
  });

  it("[C2] does not include covered or stopping jobs", () => {
    const w = lent();
    starts(w, "covered", "c");
    starts(w, "stopping", "a");
    starts(w, "burst", "a");
    w.must({ kind: "job.cancel", job: jobId("stopping") });
    assert.deepEqual(order(w), ["burst"]);
  });

  it("offers another account when one is passed over whole, and is complete again afterwards", () => {
    const w = lent();
    for (const [id, account] of [
      ["a1", "a"],
      ["a2", "a"],
      ["b1", "b"],
    ] as const)
      starts(w, id, account);
    const seen: string[] = [];
    w.state.burst.first(w.state, w.now, (job) => {
      seen.push(job.id.slice(4));
      return "not-this-account";
    });
    assert.deepEqual(seen, ["b1", "a2"]);
    assert.deepEqual(order(w), ["b1", "a2", "a1"]);
  });
});

describe("jobs that cost their account the same", () => {
  it("[T2] are one kind, and leave it when they stop", () => {
    const w = lent();
    for (const id of ["one", "two"]) starts(w, id, "a");
    starts(w, "wide", "a", { gpus: 2 });
    const { no } = must(w.state.accountByPath.get("a"), "a");
    const sizes = () => [...w.state.victimClasses.of(w.state, no).values()].map(({ jobs }) => jobs.size).sort();
    assert.deepEqual(sizes(), [1, 2]);
    w.must({ kind: "job.cancel", job: jobId("one") });
    assert.deepEqual(sizes(), [1, 1]);
    w.must({ kind: "job.cancel", job: jobId("two") });
    assert.deepEqual(sizes(), [1]);
  });
});
