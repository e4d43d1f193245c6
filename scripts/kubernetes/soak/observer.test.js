import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PodObserver } from "./observer.js";

function observing() {
  let told;
  const api = {
    watch(_, listener) {
      told = listener;
      return { close: async () => {} };
    },
  };
  const observer = new PodObserver(api);
  told.onList([]);
  return { observer, tell: (type, pod) => told.onEvent(type, pod), list: (pods) => told.onList(pods) };
}

function observe(events) {
  const { observer, tell } = observing();
  for (const [type, pod] of events) tell(type, pod);
  return observer;
}

function podOf(lease, { uid = lease, node = "n1", gpus = 8, state = {}, phase = "Running", ...metadata }) {
  return {
    metadata: { uid, name: lease, namespace: "tess", annotations: { "tessera.dev/lease": lease }, ...metadata },
    spec: { nodeName: node, containers: [{ resources: { limits: { "nvidia.com/gpu": String(gpus) } } }] },
    status: { phase, containerStatuses: [{ state }] },
  };
}

const at = (second) => `2026-11-16T14:40:${second}Z`;
const running = { running: { startedAt: at("10") } };
const ended = { terminated: { startedAt: at("10"), finishedAt: at("15"), exitCode: 3 } };

describe("what an observer of pods tells", () => {
  it("knows when a member ran and how it ended, rounded to the least time", () => {
    const observer = observe([
      ["ADDED", podOf("job_a-1-0", { state: running })],
      ["MODIFIED", podOf("job_a-1-0", { state: ended, phase: "Failed" })],
      ["DELETED", podOf("job_a-1-0", { state: ended, phase: "Failed" })],
    ]);
    const [{ job, attempt, rank, gpus, startedAt, endedAt, code }] = observer.ran();
    assert.deepEqual([job, attempt, rank, gpus.length, code], ["job_a", 1, 0, 8, 3]);
    assert.equal(endedAt - startedAt, 4_000_000_000n);
    assert.deepEqual([observer.faults, observer.running()], [[], []]);
  });

  it("finds more GPUs in use than a node has, and two attempts of a job at once", () => {
    const observer = observe([
      ["ADDED", podOf("job_a-1-0", { state: running })],
      ["ADDED", podOf("job_b-1-0", { state: running, gpus: 1 })],
      ["ADDED", podOf("job_a-2-0", { state: running, node: "n2" })],
    ]);
    assert.equal(observer.faults.length, 2);
    assert.match(observer.faults[0], /gpuOverlaps: 9 GPUs of n1/);
    assert.match(observer.faults[1], /ranTwice: job_a-2-0 ran together with job_a-1-0/);
  });

  it("knows no code of a pod that others deleted, unless it ended before", () => {
    const { observer, tell } = observing();
    const over = { state: ended, phase: "Failed" };
    for (const lease of ["job_a-1-0", "job_b-1-0"]) observer.noteDeleted(lease);
    tell("MODIFIED", podOf("job_a-1-0", over));
    for (const lease of ["job_a-1-0", "job_b-1-0"])
      tell("MODIFIED", podOf(lease, { ...over, deletionTimestamp: at("14") }));
    const codes = observer.ran().map(({ code, endedAt }) => [code, endedAt !== undefined]);
    assert.deepEqual(codes, [
      [3, true],
      [undefined, true],
    ]);
  });

  it("takes the end of a member as told that it was not there to see, and counts it", () => {
    const { observer, tell, list } = observing();
    tell("ADDED", podOf("job_a-1-0", { state: running }));
    tell("MODIFIED", podOf("job_b-1-0", { state: ended, phase: "Failed" }));
    list([]);
    assert.deepEqual(
      observer.ran(() => 5).map(({ code }) => code),
      [5, 3],
    );
    assert.equal(observer.unseen, 1);
  });

  it("counts the end of a pod whose node vanished only where it is told, and never what the removal did", () => {
    const { observer, tell } = observing();
    for (const lease of ["job_a-1-0", "job_b-1-0"]) tell("ADDED", podOf(lease, { state: running, gpus: 1 }));
    observer.noteRemoved("n2");
    assert.equal(observer.running().length, 2);
    observer.noteRemoved("n1");
    tell("MODIFIED", podOf("job_a-1-0", { state: ended, phase: "Failed" }));
    tell("MODIFIED", podOf("job_b-1-0", { state: ended, phase: "Failed", deletionTimestamp: at("14") }));
    const codes = (toldCode) => observer.ran(toldCode).map(({ code }) => code);
    assert.deepEqual(observer.running(), []);
    assert.deepEqual(
      [codes(() => undefined), codes(() => 3)],
      [
        [undefined, undefined],
        [3, undefined],
      ],
    );
  });

  it("finds a pod that runs although it was over", () => {
    const never = { terminated: { startedAt: null, finishedAt: null, exitCode: 137 } };
    const observer = observe([
      ["ADDED", podOf("job_a-1-0", { state: never, phase: "Failed" })],
      ["MODIFIED", podOf("job_a-1-0", { state: running })],
    ]);
    assert.deepEqual(observer.faults, ["ranTwice: job_a-1-0 ran in a pod that was over"]);
  });

  it("does not count a pod that was deleted before it ran", () => {
    const never = { terminated: { startedAt: null, finishedAt: null, exitCode: 137 } };
    const observer = observe([["ADDED", podOf("job_a-1-0", { state: never, phase: "Failed" })]]);
    assert.deepEqual(observer.ran(), []);
  });
});
