import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { minute } from "../model/units.ts";
import { demandOf } from "../quota/demand.ts";
import { newJob } from "../state/new-job.ts";
import { parseJob } from "../submit/parse.ts";
import { ana, jobId, World } from "../testing/world.ts";
import { Timeline } from "./timeline.ts";

describe("plans where nothing that runs has an end", () => {
  it("[B1] are made for when less urgent work of the account can be taken", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a", { max: 2, guarantee: 2 });
    const minRuntimeMs = 10 * minute;
    w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs, graceMs: 0, backfill: true } });
    w.submit("low", "a", { gpus: 2, priority: "low" });
    w.run("low").submit("high", "a", { gpus: 2, priority: "high" });
    assert.deepEqual(
      [...w.memory.startsAt].map(([job, at]) => [job.id, at - w.now]),
      [["job_high", minRuntimeMs]],
    );
  });

  it("[B8] keep the guarantee by which they take work back", () => {
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

  it("[B1] are not made for who waits for seats alone", () => {
    const w = new World().nodes(["n", "H100:4"]).account("a");
    w.submit("runs", "a", { gpus: 4 });
    w.run("runs").submit("waits", "a", { gpus: 2 });
    assert.equal(w.state.planned.size, 0);
  });
});

describe("a plan in whose gap burst work of another account runs", () => {
  it("[B8] keeps the guarantee by which it takes that back from burst work of its own", () => {
    const w = new World().nodes(["a", "H100:3"], ["b", "H100:3"]).account("lab", { guarantee: 3 }).account("shop");
    w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs: 0, graceMs: 0, backfill: false } });
    w.submit("two", "lab", { nodes: 2, max_time: "10m" });
    w.submit("one", "lab", { max_time: "10m" });
    w.submit("wide", "lab", { gpus: 3 });
    const timeline = new Timeline(w.state, w.now);
    const wide = w.state.jobById.get(jobId("wide"))!;
    assert.deepEqual([...timeline.plan(wide)!.takes.keys()], [0]);
    const spec = parseJob({ run: "true", gpus: 1 }, { after: [] }) as JobSpec;
    const late = newJob({ spec, account: wide.account, user: ana, at: w.now }, 0, 1_000_000 as JobNo, jobId("late"));
    const mayStart = () => timeline.mayHold(late, demandOf(w.state, late, 0, 0), true);
    assert.equal(mayStart(), true);
    w.submit("lent", "shop", { max_time: "30m" });
    const lent = w.state.jobById.get(jobId("lent"))!;
    assert.equal(lent.leases[0]!.node, 0);
    timeline.started(lent);
    assert.equal(mayStart(), false);
  });
});
