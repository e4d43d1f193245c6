import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PodObserver } from "./observer.js";

function observe(events) {
  let told;
  const api = {
    watch(_, listener) {
      told = listener;
      return { close: async () => {} };
    },
  };
  const observer = new PodObserver(api);
  told.onList([]);
  for (const [type, pod] of events) told.onEvent(type, pod);
  return observer;
}

function podOf(lease, { uid = lease, node = "n1", gpus = 8, state = {}, phase = "Running" }) {
  return {
    metadata: { uid, name: lease, namespace: "tess", annotations: { "tessera.dev/lease": lease } },
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

  it("does not count a pod that was deleted before it ran", () => {
    const never = { terminated: { startedAt: null, finishedAt: null, exitCode: 137 } };
    const observer = observe([["ADDED", podOf("job_a-1-0", { state: never, phase: "Failed" })]]);
    assert.deepEqual(observer.ran(), []);
  });
});
