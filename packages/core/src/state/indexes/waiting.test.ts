import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job } from "../../model/job.ts";
import { must } from "../../model/must.ts";
import { jobId, World } from "../../testing/world.ts";
import type { WaitingGroup } from "./waiting-group.ts";

/** A full fleet: everything that is submitted next waits. */
function full(): World {
  const w = new World().nodes(["n", "H100:2"]).account("a").account("b");
  w.submit("wall", "a", { gpus: 2 });
  return w.run("wall");
}

const jobOf = ({ state }: World, id: string): Job => must(state.jobById.get(jobId(id)), id);
const groupOf = (w: World, id: string): WaitingGroup => must(w.state.waiting.groupOf(jobOf(w, id)), `group of ${id}`);
const idsOf = ({ jobs }: WaitingGroup) => jobs.map(({ id }) => id.slice(4));

describe("the queue", () => {
  it("[O3] groups jobs of one account with the same request, by priority, then age", () => {
    const w = full();
    for (const id of ["first", "second"]) w.submit(id, "a");
    w.submit("urgent", "a", { priority: "high" });
    assert.deepEqual(idsOf(groupOf(w, "first")), ["urgent", "first", "second"]);
    assert.deepEqual([w.state.waiting.size, w.state.waiting.groups.size], [3, 1]);
  });

  it("has another group for another account, request or run time, and one queue for all that want the same seats", () => {
    const w = full();
    w.submit("plain", "a");
    w.submit("other", "b");
    w.submit("timed", "a", { max_time: "1h" });
    w.submit("wide", "a", { gpus: 2 });
    assert.equal(w.state.waiting.groups.size, 4);
    assert.equal(w.state.waiting.queues.size, 2);
    assert.equal(groupOf(w, "plain").rivals, groupOf(w, "timed").rivals);
    assert.equal(groupOf(w, "plain").rivals.queue, groupOf(w, "other").rivals.queue);
  });

  it("loses a job that is held or cancelled, and an empty group with it", () => {
    const w = full();
    w.submit("held", "a");
    w.submit("gone", "a");
    w.must({ kind: "job.hold", job: jobId("held") });
    w.must({ kind: "job.cancel", job: jobId("gone") });
    assert.deepEqual([w.state.waiting.size, w.state.waiting.groups.size, w.state.waiting.queues.size], [0, 0, 0]);
    w.must({ kind: "job.release", job: jobId("held") });
    assert.deepEqual(idsOf(groupOf(w, "held")), ["held"]);
  });

  it("separates users while an account limits what one user may hold", () => {
    const w = full();
    w.submit("one", "a");
    const before = groupOf(w, "one").key;
    const { terms } = must(w.state.accountByPath.get("b"), "b");
    w.must({ kind: "account.edit", path: "b", terms: { ...terms, limits: { gpusPerUserMax: 1 } } });
    assert.notEqual(groupOf(w, "one").key, before);
    w.must({ kind: "account.edit", path: "b", terms });
    assert.equal(groupOf(w, "one").key, before);
  });

  it("[B6] is long beyond 256 groups", () => {
    const w = full();
    for (let i = 0; i < 257; i++) w.submit(`j${i}`, "b", { gpus: 2, memory: `${i + 1}MiB` });
    const { waiting } = w.state;
    assert.deepEqual([waiting.groups.size, waiting.isLong], [257, true]);
    w.must({ kind: "job.cancel", job: jobId("j0") });
    assert.deepEqual([waiting.groups.size, waiting.isLong], [256, false]);
  });

  it("[B6] lists the groups whose turn is still to come in the order of their first jobs", () => {
    const w = full();
    for (let i = 0; i < 5; i++) w.submit(`j${i}`, "b", { gpus: 2, memory: `${5 - i}MiB` });
    const { waiting } = w.state;
    const { no } = jobOf(w, "j1");
    assert.deepEqual(waiting.groupsAfter(no, 9).flatMap(idsOf), ["j2", "j3", "j4"]);
    assert.deepEqual(waiting.groupsAfter(no, 2).flatMap(idsOf), ["j2", "j3"]);
  });
});
