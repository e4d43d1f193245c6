import { type Instant, minute } from "@tessera/core";
import { idleBelow } from "@tessera/telemetry";

/** What the books and the samples say of one job in a span, in unit-milliseconds; 21,000 units are one GPU. */
export interface LeasedAndBusy {
  readonly job: string;
  /** From the books. */
  readonly leasedUnitMs: bigint;
  /** From samples: for how much of that it is known what the GPUs did, and how much of it they worked. */
  readonly measuredUnitMs: bigint;
  readonly busyUnitMs: bigint;
}

/** What samples say of a GPU while no lease held it. */
export interface BusyUnleased {
  readonly node: string;
  readonly gpu: string;
  /** For how long it was at work. */
  readonly busyMs: number;
}

export interface Reconciled {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly leasedUnitMs: bigint;
  readonly measuredUnitMs: bigint;
  readonly busyUnitMs: bigint;
  /** Leased and not measured: neither busy nor idle. */
  readonly unmeasuredUnitMs: bigint;
  /** Jobs that held GPUs and, as far as they were measured, left them idle; the most idle time first. */
  readonly leasedNotBusy: readonly LeasedAndBusy[];
  /** GPUs on which something ran without a lease, the longest first. */
  readonly busyNotLeased: readonly BusyUnleased[];
}

/** Shorter work without a lease is what samples at the edges of leases show. */
export const unleasedBusyMsMin = minute;

/** Compares what was leased in a span with what was measured in it. */
export function reconcile(
  span: { readonly fromAt: Instant; readonly toAt: Instant },
  leases: readonly LeasedAndBusy[],
  unleased: readonly BusyUnleased[],
): Reconciled {
  const sum = (of: (each: LeasedAndBusy) => bigint) => leases.reduce((total, each) => total + of(each), 0n);
  const leasedUnitMs = sum((each) => each.leasedUnitMs);
  // A sample can reach a little beyond the lease that it belongs to: no more than was leased counts as measured.
  const measuredUnitMs = sum(({ measuredUnitMs: measured, leasedUnitMs: leased }) => least(measured, leased));
  const busyUnitMs = sum((each) => least(each.busyUnitMs, each.leasedUnitMs));
  return {
    ...span,
    ...{ leasedUnitMs, measuredUnitMs, busyUnitMs, unmeasuredUnitMs: leasedUnitMs - measuredUnitMs },
    leasedNotBusy: leases.filter(isIdle).toSorted((a, b) => Number(idleOf(b) - idleOf(a)) || compare(a.job, b.job)),
    busyNotLeased: unleased
      .filter(({ busyMs }) => busyMs >= unleasedBusyMsMin)
      .toSorted((a, b) => b.busyMs - a.busyMs || compare(a.gpu, b.gpu)),
  };
}

/** Nothing measured is not idle. */
function isIdle({ measuredUnitMs, busyUnitMs }: LeasedAndBusy): boolean {
  return measuredUnitMs > 0n && busyUnitMs * 10_000n < measuredUnitMs * BigInt(idleBelow);
}

function idleOf({ measuredUnitMs, busyUnitMs }: LeasedAndBusy): bigint {
  return measuredUnitMs - busyUnitMs;
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

const namedMax = 5;

/** What a GPU that is busy without a lease means, and what to do. */
export function unleasedText({ busyNotLeased, fromAt, toAt }: Reconciled): string {
  const named = busyNotLeased
    .slice(0, namedMax)
    .map(({ node, gpu, busyMs }) => `${gpu} on ${node} (${minutes(busyMs)})`);
  const more = busyNotLeased.length > namedMax ? `, and ${busyNotLeased.length - namedMax} more` : "";
  const clock = (at: Instant) => new Date(at).toISOString().slice(11, 16);
  const what = busyNotLeased.length === 1 ? "A GPU was" : `${busyNotLeased.length} GPUs were`;
  return (
    `${what} busy without a lease between ${clock(fromAt)} and ${clock(toAt)} UTC: ${named.join(", ")}${more}. Something runs there that ` +
    "was not submitted: look at the processes on the node (nvidia-smi), end them, or take the node out of use (tess node cordon)."
  );
}

function minutes(ms: number): string {
  return `${Math.round(ms / minute)} min`;
}
