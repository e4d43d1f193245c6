import assert from "node:assert/strict";
import { it } from "node:test";
import { hour, minute } from "@tessera/core";
import { type LeasedAndBusy, reconcile, unleasedText } from "./reconcile.ts";

const span = { fromAt: Date.UTC(2026, 10, 16, 17), toAt: Date.UTC(2026, 10, 16, 18) };
const gpuHour = 21_000n * BigInt(hour);

function jobOf(job: string, leased: bigint, measured: bigint, busy: bigint): LeasedAndBusy {
  return { job, leasedUnitMs: leased, measuredUnitMs: measured, busyUnitMs: busy };
}

it("names jobs that left their GPUs idle, the most idle time first", () => {
  const { leasedNotBusy } = reconcile(
    span,
    [
      jobOf("job_busy", gpuHour, gpuHour, gpuHour / 2n),
      jobOf("job_idle", gpuHour, gpuHour, gpuHour / 100n),
      jobOf("job_idler", 2n * gpuHour, 2n * gpuHour, 0n),
    ],
    [],
  );
  assert.deepEqual(
    leasedNotBusy.map(({ job }) => job),
    ["job_idler", "job_idle"],
  );
});

it("[S35] does not call a job idle of which nothing was measured", () => {
  const { leasedNotBusy, unmeasuredUnitMs } = reconcile(span, [jobOf("job_dark", gpuHour, 0n, 0n)], []);
  assert.deepEqual([leasedNotBusy, unmeasuredUnitMs], [[], gpuHour]);
});

it("adds up: leased = measured + not measured, also where samples reach beyond leases", () => {
  const found = reconcile(span, [jobOf("a", gpuHour, gpuHour + 5n, gpuHour + 5n), jobOf("b", gpuHour, 7n, 3n)], []);
  assert.equal(found.leasedUnitMs, found.measuredUnitMs + found.unmeasuredUnitMs);
  assert.deepEqual([found.measuredUnitMs, found.busyUnitMs], [gpuHour + 7n, gpuHour + 3n]);
});

it("tells of GPUs that worked without a lease for a minute or longer", () => {
  const found = reconcile(
    span,
    [],
    [
      { node: "local/n1", gpu: "GPU-1", busyMs: minute - 1 },
      { node: "local/n1", gpu: "GPU-2", busyMs: 5 * minute },
      { node: "local/n2", gpu: "GPU-3", busyMs: 43 * minute },
    ],
  );
  assert.deepEqual(
    found.busyNotLeased.map(({ gpu }) => gpu),
    ["GPU-3", "GPU-2"],
  );
  assert.match(
    unleasedText(found),
    /^2 GPUs were busy without a lease between 17:00 and 18:00 UTC: GPU-3 on local\/n2 \(43 min\), GPU-2 on/,
  );
});
