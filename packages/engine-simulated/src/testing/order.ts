import { type JobId, leaseIdOf } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";

/** An order for the one member of a plain job. */
export function orderOf(number: number, change: Partial<LeaseOrder>): LeaseOrder {
  const job = `job_${number}` as JobId;
  return {
    lease: leaseIdOf(job, 1, 0),
    job,
    jobName: "plain",
    attempt: 1,
    rank: 0,
    size: 1,
    node: "sim-1",
    gpuUuids: ["GPU-sim-1-0"],
    gangNodes: ["sim-1"],
    masterAddress: "127.0.0.1",
    tenant: "acc_lab",
    account: "lab",
    run: "true",
    env: {},
    secrets: {},
    limits: { cpusMilli: 1_000, memoryMiB: 512, processesMax: 100, runMsMax: 0 },
    strict: false,
    stop: { signal: "SIGTERM", graceMs: 1_000 },
    epoch: 1,
    ...change,
  };
}
