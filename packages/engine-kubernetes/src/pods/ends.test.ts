import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import type { Pod, PodStatus } from "../api/types.ts";
import { annotation, heldGate } from "../names.ts";
import { type EndFound, endOf as endAfter } from "./ends.ts";
import { progressOf } from "./progress.ts";
import { usualStartLimits, verdictOn } from "./start-limits.ts";
import { isOver } from "./status.ts";
import { doneMessage } from "./wrapper.ts";

const startedAt = "2026-11-16T10:00:00Z";
const finishedAt = "2026-11-16T10:00:05Z";

const placed: Partial<Pod["spec"]> = { nodeName: "node-1" };

function podOf(status: PodStatus, change: Partial<Pod["metadata"]> = {}, spec = placed): Pod {
  return {
    metadata: { name: "p", namespace: "n", uid: "u", creationTimestamp: "2026-11-16T09:59:58Z", ...change },
    spec: { containers: [{ name: "member", image: "registry.example/image:1" }], ...spec },
    status,
  };
}

function ended(exitCode: number, more: object = {}, status: PodStatus = {}): PodStatus {
  const terminated = { exitCode, startedAt, finishedAt, ...more };
  const phase = exitCode === 0 ? "Succeeded" : "Failed";
  return { phase, containerStatuses: [{ name: "member", state: { terminated } }], ...status };
}

const endOf = (pod: Pod): EndFound => endAfter(pod, []);

const stopped = { annotations: { [annotation.stop]: JSON.stringify({ signal: "SIGTERM", graceMs: 1000 }) } };
const deleted = { deletionTimestamp: "2026-11-16T10:00:05Z", deletionGracePeriodSeconds: 2 };

describe("the end of a pod", () => {
  it("is its exit code, and whether it wrote the done file", () => {
    assert.deepEqual(endOf(podOf(ended(7))).end, { kind: "exited", ran: true, code: 7 });
    const done = endOf(podOf(ended(143, { message: `${doneMessage}\n` }), stopped));
    assert.deepEqual(done.end, { kind: "exited", ran: true, code: 143, done: true });
    assert.equal(done.at, Date.parse(finishedAt));
  });

  it("names the memory limit", () => {
    const { end } = endOf(podOf(ended(137, { reason: "OOMKilled" })));
    assert.ok(end.kind === "exited" && end.limit === "memory" && end.code === 137);
  });

  it("names the time limit, unless the member ended before it", () => {
    const limit = (runMsMax: number) => ({ annotations: { [annotation.runMsMax]: String(runMsMax) } });
    const late = endOf(podOf(ended(143, {}, { reason: "DeadlineExceeded" }), limit(4_000)));
    assert.ok(late.overran && late.end.kind === "exited" && late.end.limit === "time");
    const before = endOf(podOf(ended(0, {}, { reason: "DeadlineExceeded" }), limit(60_000)));
    assert.deepEqual([before.overran, before.end], [false, { kind: "exited", ran: true, code: 0 }]);
  });

  it("is a loss where the cluster ended it, with what the cluster said", () => {
    const conditions = [
      { type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler", message: "preempted by x" },
    ];
    const cases: readonly (readonly [Pod, RegExp])[] = [
      [podOf(ended(143, {}, { conditions })), /higher priority.*preempted by x/],
      [podOf(ended(137, {}, { reason: "Evicted", message: "low on memory" })), /Evicted.*low on memory/],
      [podOf({ phase: "Failed", reason: "UnexpectedAdmissionError", message: "no devices" }), /no devices/],
      [podOf({ phase: "Failed", reason: "OutOfcpu", message: "not enough" }), /OutOfcpu/],
      [podOf(ended(143), deleted), /was deleted in the cluster/],
      [podOf(ended(137, { reason: "ContainerStatusUnknown", message: "not located" })), /not located/],
    ];
    for (const [pod, reason] of cases) {
      const { end } = endOf(pod);
      assert.equal(end.kind, "lost", JSON.stringify(end));
      assert.match(end.kind === "lost" ? end.reason : "", reason);
    }
  });

  it("is its own where it ended before the cluster wanted it gone", () => {
    const later = { deletionTimestamp: "2026-11-16T10:01:00Z", deletionGracePeriodSeconds: 30 };
    assert.deepEqual(endOf(podOf(ended(0), later)).end, { kind: "exited", ran: true, code: 0 });
  });

  it("is no run where it was stopped while it was held, and a loss where others deleted it", () => {
    const held = { schedulingGates: [{ name: heldGate }] };
    const ours = podOf({ phase: "Pending" }, { ...deleted, ...stopped }, held);
    assert.ok(isOver(ours));
    assert.deepEqual(endOf(ours).end, { kind: "exited", ran: false });
    assert.equal(endOf(podOf({ phase: "Pending" }, deleted, held)).end.kind, "lost");
  });

  it("is a run where a start was told, also if the node lost the container and says of no start any more", () => {
    const unknown = { exitCode: 137, reason: "ContainerStatusUnknown", message: "not located" };
    const status = { phase: "Failed", containerStatuses: [{ name: "member", state: { terminated: unknown } }] };
    const running = { phase: "Running", containerStatuses: [{ name: "member", state: { running: { startedAt } } }] };
    const told = progressOf("job_a-1-0" as LeaseId, podOf(running));
    assert.deepEqual(endAfter(podOf(status, stopped), told).end, { kind: "exited", ran: true, code: 137 });
    assert.deepEqual(endAfter(podOf(status, stopped), told.slice(0, 1)).end, { kind: "exited", ran: false });
    assert.equal(endAfter(podOf(status), told).end.kind, "lost");
  });

  it("is the verdict for which the engine gave it up, unless it ran after all", () => {
    const verdict = { kind: "refused", reason: "image x cannot be pulled" } as const;
    const marked = { annotations: { [annotation.stop]: JSON.stringify({ signal: "SIGKILL", graceMs: 0, verdict }) } };
    assert.deepEqual(endOf(podOf({ phase: "Failed" }, marked)).end, verdict);
    assert.deepEqual(endOf(podOf(ended(137), marked)).end, { kind: "exited", ran: true, code: 137 });
  });
});

describe("a pod that does not start", () => {
  const waiting = (reason: string) =>
    podOf({
      phase: "Pending",
      containerStatuses: [{ name: "member", state: { waiting: { reason, message: "why" } } }],
    });

  it("is refused for its image or its container, after a while where that may pass", () => {
    const { pullMs, createMs } = usualStartLimits;
    assert.equal(verdictOn(waiting("InvalidImageName"), 0, usualStartLimits)?.kind, "refused");
    assert.equal(verdictOn(waiting("ImagePullBackOff"), pullMs - 1, usualStartLimits), undefined);
    assert.match(verdictOn(waiting("ImagePullBackOff"), pullMs, usualStartLimits)!.reason, /registry\.example.*why/);
    assert.equal(verdictOn(waiting("CreateContainerConfigError"), createMs, usualStartLimits)?.kind, "refused");
    assert.equal(verdictOn(waiting("ContainerCreating"), pullMs, usualStartLimits), undefined);
  });

  it("is lost where the cluster does not place it, or at last", () => {
    const { scheduleMs, startMs } = usualStartLimits;
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/4 nodes" }];
    const unplaced = podOf({ phase: "Pending", conditions }, {}, {});
    assert.match(verdictOn(unplaced, scheduleMs, usualStartLimits)!.reason, /0\/4 nodes/);
    assert.equal(verdictOn(waiting("ContainerCreating"), startMs, usualStartLimits)?.kind, "lost");
  });
});

describe("the reports of a pod", () => {
  it("follow from what no later change takes back, in order", () => {
    const lease = "job_a-1-0" as LeaseId;
    const annotations = { [annotation.boot]: "boot-1", [annotation.scrub]: "1" };
    const before = progressOf(lease, podOf({ phase: "Pending" }, { annotations }));
    const after = progressOf(lease, podOf(ended(0), { annotations }));
    assert.deepEqual(after.slice(0, before.length), before);
    assert.deepEqual(
      after.map(({ what, sequence, bootId }) => [what.kind, sequence, bootId]),
      [
        ["scrubbed", 1, "boot-1"],
        ["prepared", 2, "boot-1"],
        ["started", 3, "boot-1"],
      ],
    );
    assert.equal(after.at(-1)?.at, Date.parse(startedAt));
  });
});
