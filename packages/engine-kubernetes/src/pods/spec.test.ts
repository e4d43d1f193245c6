import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JobId, LeaseId } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import { takeSecondsOf } from "../inside/parts.ts";
import { annotation, heldGate, namespaceOf, ownScheduler, podNameOf, reportFinalizer } from "../names.ts";
import { claimSpecOf } from "./devices.ts";
import { podSpec } from "./spec.ts";
import { boundByUs, isHeld } from "./status.ts";

const order: LeaseOrder = {
  lease: "job_a-1-1" as LeaseId,
  job: "job_a" as JobId,
  jobName: "train",
  attempt: 1,
  rank: 1,
  size: 2,
  node: "n1",
  gpuUuids: ["n1/nvidia.com/gpu/0", "n1/nvidia.com/gpu/1"],
  gangNodes: ["n0", "n1"],
  masterAddress: "10.0.0.1",
  tenant: "acc_t",
  account: "t/team",
  image: "registry.example/image:1",
  run: "echo $HOME $(date)",
  env: { PRICE: "5$" },
  secrets: { KEY: "clear text" },
  limits: { cpusMilli: 1500, memoryMiB: 512, processesMax: 100, runMsMax: 60_000 },
  strict: false,
  stop: { signal: "SIGTERM", graceMs: 2_500 },
  epoch: 7,
};
const place = { namespace: "tess-acc-t", serviceAccount: "member", labels: {}, tolerations: [], pullSecrets: [] };
const devices = { resources: { "nvidia.com/gpu": 2 }, claims: [] };
const context = { engine: "east", instance: "i1", bootId: "b1", devices };
const pod = podSpec(order, place, {}, context);
const [member] = pod.spec.containers;

describe("the pod of an order", () => {
  it("is held because no scheduler looks at it, kept by a finalizer, and knows its node", () => {
    assert.equal(pod.spec.schedulerName, ownScheduler);
    assert.equal(pod.spec.schedulingGates, undefined);
    assert.equal(boundByUs(pod), "n1");
    assert.equal(isHeld(pod), true);
    assert.equal(isHeld({ ...pod, spec: { ...pod.spec, nodeName: "n1" } }), false);
    assert.deepEqual(pod.metadata.finalizers, [reportFinalizer]);
    assert.equal(pod.metadata.annotations?.[annotation.epoch], "7");
  });

  it("is held by a gate before the cluster's scheduler where that has devices or volumes to arrange", () => {
    const claims = [{ driver: "gpu.example.com", deviceClass: "gpu.example.com", uuids: ["a"] }];
    const byClaim = podSpec(order, place, {}, { ...context, devices: { resources: {}, claims } });
    const mounts = [{ at: "/data", claim: "data", readOnly: true }];
    const byVolume = podSpec({ ...order, mounts }, place, {}, context);
    for (const gated of [byClaim, byVolume]) {
      assert.deepEqual(gated.spec.schedulingGates, [{ name: heldGate }]);
      assert.equal(gated.spec.schedulerName, undefined);
      assert.equal(isHeld(gated), true);
      assert.equal(isHeld({ ...gated, spec: { ...gated.spec, schedulingGates: [] } }), false);
      assert.match(JSON.stringify(gated.spec.affinity), /"key":"metadata.name","operator":"In","values":\["n1"\]/);
    }
  });

  it("asks for what the order grants, and has the limits of the order", () => {
    const amounts = { cpu: "1500m", memory: "512Mi", "nvidia.com/gpu": "2" };
    assert.deepEqual(member?.resources?.limits, amounts);
    assert.equal(pod.spec.terminationGracePeriodSeconds, 3);
    assert.ok(Number(pod.spec.activeDeadlineSeconds) > 60);
  });

  it("is left more time than its grace where outputs are taken, and a later process knows how much from the pod alone", () => {
    const outputs = { bytesMax: 1 };
    const taken = podSpec({ ...order, outputs }, place, { agentImage: "registry.example/agent:1" }, context);
    assert.ok(takeSecondsOf(taken) > 0);
    assert.equal(taken.spec.terminationGracePeriodSeconds, 3 + takeSecondsOf(taken));
    assert.match(
      JSON.stringify(taken.spec.containers[0]?.lifecycle),
      / g=3\\n/,
      "the member itself has its grace only",
    );
    // Without an agent nothing can be taken.
    const agentless = podSpec({ ...order, outputs }, place, {}, context);
    assert.deepEqual([takeSecondsOf(agentless), agentless.spec.terminationGracePeriodSeconds], [0, 3]);
  });

  it("has no secret in it, and no dollar that Kubernetes would replace", () => {
    assert.doesNotMatch(JSON.stringify(pod), /clear text/);
    assert.ok(member?.env?.some(({ name, valueFrom }) => name === "KEY" && valueFrom?.secretKeyRef?.key === "KEY"));
    assert.equal(member?.env?.find(({ name }) => name === "PRICE")?.value, "5$$");
    assert.equal(member?.args?.at(-1), "echo $$HOME $$(date)");
  });

  it("learns the address of rank 0 from its release, and rank 0 knows its own", () => {
    const master = (rank: number) =>
      podSpec({ ...order, rank }, place, {}, context).spec.containers[0]?.env?.find(
        ({ name }) => name === "MASTER_ADDR",
      )?.valueFrom?.fieldRef?.fieldPath;
    assert.equal(master(0), "status.podIP");
    assert.match(master(1) ?? "", /annotations.*tessera.dev\/master/);
  });

  it("claims devices by their uuids", () => {
    const claims = [{ driver: "gpu.nvidia.com", deviceClass: "gpu.nvidia.com", uuids: ["GPU-a", "GPU-b"] }];
    const text = JSON.stringify(claimSpecOf({ resources: {}, claims }));
    assert.match(text, /uuid in \[\\"GPU-a\\", \\"GPU-b\\"\]/);
  });
});

it("gives different ids different names that Kubernetes takes", () => {
  const ids = [
    "job_a-1-0",
    "job_a.3-1-0",
    "job-a-1-0",
    "JOB_A-1-0",
    `job_${"a".repeat(80)}-1-0`,
    `job_${"a".repeat(80)}-1-1`,
  ];
  const names = ids.map(podNameOf);
  assert.equal(new Set(names).size, ids.length);
  for (const name of [...names, namespaceOf("acc_x")]) assert.match(name, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
});
