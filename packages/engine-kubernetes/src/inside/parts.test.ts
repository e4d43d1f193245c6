import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JobId, leaseIdOf } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import { agentFile, agentOrderOf } from "./agent/order.ts";
import { endOf } from "./exec-stream.ts";
import { folders, insideFault, insideOf } from "./parts.ts";
import { portsIn } from "./ports.ts";

const job = "job_1" as JobId;
const plain: LeaseOrder = {
  lease: leaseIdOf(job, 1, 0),
  ...{ job, jobName: "a", attempt: 1, rank: 0, size: 1, node: "n", gpuUuids: [], gangNodes: ["n"], masterAddress: "n" },
  ...{ tenant: "acc_1", account: "a", run: "true", env: {}, secrets: {}, strict: false, epoch: 1 },
  limits: { cpusMilli: 1, memoryMiB: 1, processesMax: 1, runMsMax: 0 },
  stop: { signal: "SIGTERM", graceMs: 1_000 },
};
const tree = "a".repeat(64);

describe("what files add to a pod", () => {
  it("is a checkpoint that lasts as long as the pod, and no agent, where the cluster offers neither", () => {
    const parts = insideOf(plain, {});
    assert.deepEqual(parts.volumes, [{ name: "checkpoint", emptyDir: {} }]);
    assert.deepEqual([parts.initContainers, parts.before, parts.takeSeconds], [[], "", 0]);
    assert.match(insideFault({ ...plain, code: { tree } }, {}) ?? "", /no agent image/);
  });

  it("is an agent that brings trees before the member begins, and a pod that stays until outputs are taken", () => {
    const asked = {
      code: { tree },
      mounts: [{ at: "/in", tree }],
      outputs: { bytesMax: 1 },
      checkpoint: true,
    } as const;
    const order = { ...plain, ...asked };
    const parts = insideOf(order, { agentImage: "tessera", checkpointClass: "fast" });
    const spec = { containers: [], initContainers: parts.initContainers };
    const duty = agentOrderOf({ metadata: { name: "p" }, spec });
    assert.deepEqual(
      duty?.bring.map(({ to }) => to),
      [folders.work, "/tess/.trees/0"],
    );
    assert.match(parts.before, new RegExp(agentFile.brought));
    assert.ok(parts.takeSeconds > 0);
    assert.deepEqual(
      parts.mounts.find(({ mountPath }) => mountPath === "/in"),
      {
        name: "trees",
        mountPath: "/in",
        subPath: "0",
        readOnly: true,
      },
    );
    const claimName = "tess-job-1";
    assert.deepEqual(parts.volumes[0], { name: "checkpoint", persistentVolumeClaim: { claimName } });
    assert.deepEqual(insideOf(plain, { checkpointClass: "fast" }).volumes, [{ name: "checkpoint", emptyDir: {} }]);
  });

  it("is never a folder of a machine, nor anything over Tessera's own", () => {
    const settings = { agentImage: "tessera" };
    const of = (mount: NonNullable<LeaseOrder["mounts"]>[number]) =>
      insideFault({ ...plain, mounts: [mount] }, settings);
    assert.match(of({ at: "/data", folder: "/srv", readOnly: true }) ?? "", /use pvc:NAME/);
    assert.match(of({ at: "/tess/work", claim: "x", readOnly: true }) ?? "", /Tessera's/);
    assert.equal(of({ at: "/data", claim: "x", readOnly: true }), undefined);
  });
});

it("reads how a command ended from what the cluster says last", () => {
  assert.deepEqual(endOf('{"status":"Success"}'), { code: 0 });
  const causes = [{ reason: "ExitCode", message: "7" }];
  const failed = { status: "Failure", reason: "NonZeroExitCode", details: { causes } };
  assert.deepEqual(endOf(JSON.stringify(failed)), { code: 7 });
  const missing = { status: "Failure", reason: "InternalError", message: "no such file" };
  assert.deepEqual(endOf(JSON.stringify(missing)), { broken: "no such file" });
});

it("finds listening ports in the tables of the kernel, once each", () => {
  const head = "  sl  local_address rem_address   st tx_queue rx_queue\n";
  const four =
    "   0: 0100007F:1FBB 00000000:0000 0A 00000000:00000000\n   1: 0100007F:0050 0100007F:1234 01 00000000:00000000\n";
  const six =
    "   0: 00000000000000000000000000000000:1FBB 00000000000000000000000000000000:0000 0A 0:0\n   1: 0:0016 0:0000 0A 0:0\n";
  assert.deepEqual(portsIn(head + four + head + six), [22, 8123]);
});
