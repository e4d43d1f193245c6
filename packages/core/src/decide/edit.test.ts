import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import type { JobSpec } from "../model/job.ts";
import { hour, minute, unitsPerGpu } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";

/** A fleet of two GPUs that one job holds, with others behind it. */
function full(): World {
  const w = new World().nodes(["n0", "H100:2"]).account("lab");
  w.submit("runs", "lab", { gpus: 2 });
  w.run("runs");
  return w;
}

function edit(w: World, id: string, change: Partial<JobSpec>) {
  const { spec } = w.state.jobById.get(jobId(id)) ?? w.state.arrayById.get(jobId(id))!;
  return w.do({ kind: "job.edit", job: jobId(id), spec: { ...spec, ...change } });
}

const gpus = (count: number) => ({ gpus: [{ model: "*", count, unitsEach: unitsPerGpu }] });

describe("an edit", () => {
  it("[O3] keeps the place of a job that does not become larger", () => {
    const w = full();
    w.submit("a", "lab", { gpus: 2, max_time: "2h" });
    w.submit("b", "lab", { gpus: 1 });
    for (const change of [gpus(1), { maxTimeMs: hour }]) assert.ok(!isRefusal(edit(w, "a", change)));
    assert.ok(w.job("a").no < w.job("b").no);
    assert.equal(w.job("a").spec.maxTimeMs, hour);
    w.exit("runs", 0);
    assert.deepEqual([w.stateOf("a"), w.stateOf("b")], ["starting", "starting"]);
  });

  it("[O3] puts a job that becomes larger behind those that waited then, with its history and dependents", () => {
    const w = full();
    w.submit("a", "lab", { gpus: 1 });
    w.submit("b", "lab", { gpus: 2 });
    w.submit("then", "lab", { gpus: 0, after: [{ job: jobId("a"), when: "succeeded" }] });
    w.submit("late", "lab", { gpus: 1, after: [{ job: jobId("then"), when: "ended" }] });
    edit(w, "a", gpus(2));
    edit(w, "late", { ...gpus(2), priority: -1 });
    assert.ok(w.job("a").no > w.job("b").no);
    w.exit("runs", 0);
    assert.deepEqual([w.stateOf("b"), w.stateOf("a")], ["starting", "waiting"]);
    w.run("b").exit("b", 0);
    w.run("a").exit("a", 0);
    w.run("then").exit("then", 0);
    assert.equal(w.stateOf("late"), "starting");
  });

  it("is refused for a job that runs or has ended, for what a job runs, and beyond the limits of its account", () => {
    const w = full();
    const refusalOf = (id: string, change: Partial<JobSpec>) => {
      const answer = edit(w, id, change);
      assert.ok(isRefusal(answer), `${id} was edited`);
      return `${answer.refused}: ${answer.field} ${answer.detail}`;
    };
    assert.equal(refusalOf("runs", { priority: 5 }), "conflict: job is running: only a waiting job can be edited");
    w.submit("a", "lab", { gpus: 1 });
    assert.match(refusalOf("a", { run: "false" }), /^conflict: run cannot be changed: what a job runs/);
    assert.match(refusalOf("a", { name: "b" }), /^conflict: name cannot be changed: other jobs/);
    assert.match(refusalOf("a", gpus(3)), /^never-fits: gpus/);
    assert.match(refusalOf("a", { deadlineAt: w.now }), /^invalid: deadline has passed/);
    const gone = w.do({ kind: "job.edit", job: jobId("gone"), spec: w.job("a").spec });
    assert.ok(isRefusal(gone) && gone.detail === "has ended");
  });

  it("of an array changes its waiting elements, which cannot be made larger", () => {
    const w = full();
    w.submit("frames", "lab", { gpus: 1, array: "1-3", max_time: "1h" });
    assert.ok(!isRefusal(edit(w, "frames", { priority: 7, maxTimeMs: minute })));
    assert.deepEqual(
      [1, 2, 3].map((i) => [w.job(`frames.${i}`).spec.priority, w.job(`frames.${i}`).spec.maxTimeMs]),
      [1, 2, 3].map(() => [7, minute]),
    );
    for (const id of ["frames", "frames.2"]) {
      const answer = edit(w, id, gpus(2));
      assert.ok(isRefusal(answer) && answer.detail.includes("asks for more GPUs"), JSON.stringify(answer));
    }
  });
});

describe("a job that its user suspends or requeues", () => {
  it("[L1] leaves with its grace, keeps its place and its GPUs are free, and competes again when it is resumed", () => {
    const w = full();
    w.submit("next", "lab", { gpus: 2 });
    const [held, stopping] = w.must({ kind: "job.suspend", job: jobId("runs") });
    assert.deepEqual([held!.kind, stopping!.kind], ["job-held", "lease-stopping"]);
    w.exit("runs", 0);
    assert.deepEqual([w.stateOf("runs"), w.job("runs").held, w.stateOf("next")], ["waiting", true, "starting"]);
    assert.deepEqual([w.job("runs").attempts[0]!.result, w.job("runs").evictions], ["suspended", 0]);
    w.must({ kind: "job.release", job: jobId("runs") });
    w.run("next").exit("next", 0);
    assert.deepEqual([w.stateOf("runs"), w.job("runs").attempt], ["starting", 2]);
  });

  it("waits at once if it is resumed before it has left, and is only held if it waits", () => {
    const w = full();
    w.must({ kind: "job.suspend", job: jobId("runs") });
    w.must({ kind: "job.release", job: jobId("runs") });
    w.exit("runs", 143);
    assert.equal(w.stateOf("runs"), "starting");
    w.submit("next", "lab", { gpus: 2 });
    w.must({ kind: "job.suspend", job: jobId("next") });
    assert.deepEqual([w.stateOf("next"), w.job("next").held], ["waiting", true]);
  });

  it("comes back whatever its retry rule says, and at a cancel does not", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab", { retry: { max: 0, when: [] } });
    w.run("a").must({ kind: "job.requeue", job: jobId("a") });
    w.exit("a", 1);
    assert.deepEqual([w.stateOf("a"), w.job("a").attempts[0]!.result], ["starting", "requeued"]);
    w.run("a").must({ kind: "job.requeue", job: jobId("a") });
    w.must({ kind: "job.cancel", job: jobId("a") });
    const late = w.do({ kind: "job.suspend", job: jobId("a") });
    assert.ok(isRefusal(late) && late.detail === "is stopping: it does not come back");
    w.exit("a", 1);
    assert.equal(w.outcomeOf("a"), "cancelled");
  });

  it("says in a refusal what state it is in", () => {
    const w = full();
    w.submit("next", "lab", { gpus: 2 });
    const detail = (kind: "job.hold" | "job.release" | "job.requeue", id: string) => {
      const answer = w.do({ kind, job: jobId(id) });
      assert.ok(isRefusal(answer));
      return answer.detail;
    };
    assert.equal(detail("job.requeue", "next"), "is waiting: only a running job can be sent back to the queue");
    assert.equal(detail("job.hold", "runs"), "is running: only a waiting job can be held");
    assert.equal(detail("job.release", "runs"), "is running: it is not held");
  });
});
