import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, type Refusal } from "../journal/refusal.ts";
import type { JobId } from "../model/ids.ts";
import { apply } from "../state/apply/apply.ts";
import { emptyState } from "../state/empty.ts";
import { bytesOf } from "../state/indexes/load.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { wishOf } from "../state/wish-of.ts";
import { jobId, World } from "../testing/world.ts";

const world = () => new World().nodes(["n0", "H100:2"]).account("lab");
const label = (w: World, id: JobId, labels: { [key: string]: string | null }) =>
  w.must({ kind: "job.label", job: id, labels }).map(({ kind }) => kind);

const bytesHeld = (w: World) => w.state.load.ofTenant(w.state.accountByPath.get("lab")!.no).bytes;

describe("labels of jobs", () => {
  it("are given with the job, and changed while it waits, runs and stops", () => {
    const w = world();
    w.submit("a", "lab", { gpus: 2, labels: { sweep: "lr", best: "" } });
    assert.deepEqual(w.job("a").spec.labels, { best: "", sweep: "lr" }, "by key");
    w.run("a");
    assert.deepEqual(label(w, jobId("a"), { sweep: "batch", best: null, owner: "ana" }), ["job-labelled"]);
    assert.deepEqual(w.job("a").spec.labels, { owner: "ana", sweep: "batch" });
    assert.deepEqual(label(w, jobId("a"), { sweep: "batch", best: null }), [], "nothing is new");
    label(w, jobId("a"), { owner: null, sweep: null });
    assert.equal(w.job("a").spec.labels, undefined);
    assert.equal(bytesHeld(w), bytesOf(w.job("a").spec));
    w.must({ kind: "job.cancel", job: jobId("a") });
    label(w, jobId("a"), { why: "wrong data" });
    assert.deepEqual(w.job("a").spec.labels, { why: "wrong data" });
    assert.equal(bytesHeld(w), bytesOf(w.job("a").spec));
    w.exit("a", 143);
    assert.equal(bytesHeld(w), 0, "nothing is left of it");
    const refused = w.do({ kind: "job.label", job: jobId("a"), labels: { late: "1" } }) as Refusal;
    assert.ok(isRefusal(refused));
    assert.equal(refused.detail, "has ended");
  });

  it("decide nothing: a labelled job shares the wish of one without and keeps its place", () => {
    const w = world();
    w.submit("runs", "lab", { gpus: 2 });
    for (const id of ["first", "second"]) w.submit(id, "lab", { gpus: 2, max_time: "1h" });
    const before = wishOf(w.state, w.job("first"));
    label(w, jobId("first"), { urgent: "yes" });
    assert.equal(wishOf(w.state, w.job("first")), before);
    assert.equal(wishOf(w.state, w.job("second")), before);
    w.run("runs").exit("runs", 0);
    assert.deepEqual([w.stateOf("first"), w.stateOf("second")], ["starting", "waiting"]);
  });

  it("of an array are those of its elements, made or not; an element can have more", () => {
    const w = world();
    w.submit("a", "lab", { gpus: 1, array: "1-250", labels: { sweep: "lr" } });
    const element = (index: number) => `${jobId("a")}.${index}` as JobId;
    assert.deepEqual(label(w, element(240), { odd: "yes" }), ["elements-made", "job-labelled"]);
    label(w, jobId("a"), { sweep: "seed" });
    assert.deepEqual(w.state.arrayById.get(jobId("a"))!.spec.labels, { sweep: "seed" });
    assert.deepEqual(w.state.jobById.get(element(1))!.spec.labels, { sweep: "seed" });
    assert.deepEqual(w.state.jobById.get(element(240))!.spec.labels, { odd: "yes", sweep: "seed" });
    w.must({ kind: "job.hold", job: element(200) });
    assert.deepEqual(w.state.jobById.get(element(200))!.spec.labels, { sweep: "seed" });
    const shared = new Set([...w.state.jobs.values()].map(({ spec }) => spec));
    assert.equal(shared.size, 2, "elements with the same labels share one spec");
    const bytes = [...shared].reduce((sum, spec) => sum + bytesOf(spec), 0);
    assert.equal(bytesHeld(w), bytes, "each spec counts once");
    w.must({ kind: "job.cancel", job: jobId("a") });
    for (const name of ["a.1", "a.2"]) w.exit(name, 143);
    assert.equal(bytesHeld(w), 0, "nothing is left of it");
  });

  it("are the same after a replay and in a snapshot", () => {
    const w = world();
    w.submit("a", "lab", { gpus: 1, array: "1-3", labels: { b: "2", a: "1" } });
    label(w, jobId("a"), { c: "3", a: null });
    const replayed = emptyState();
    for (const event of w.events) apply(replayed, event);
    assert.equal(writeSnapshot(replayed), writeSnapshot(w.state));
    assert.equal(writeSnapshot(readSnapshot(writeSnapshot(w.state))), writeSnapshot(w.state));
  });

  it("are refused by name where the key, the value or the number is wrong", () => {
    const w = world();
    const many = Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, "v"]));
    w.submit("a", "lab", { gpus: 1, labels: many });
    const refusal = (labels: { [key: string]: string | null }) =>
      w.do({ kind: "job.label", job: jobId("a"), labels }) as Refusal;
    assert.equal(refusal({ more: "1" }).detail, "is more than 16 labels");
    assert.equal(refusal({ "bad key": "1", k0: null }).field, "labels.bad key");
    assert.equal(refusal({ k0: "a\nb" }).field, "labels.k0");
    assert.ok(!isRefusal(refusal({ k0: null, more: "1" })), "one goes, one comes");
    assert.equal((w.submit("b", "lab", { gpus: 1, labels: { "-": "x" } }) as Refusal).field, "labels.-");
  });
});
