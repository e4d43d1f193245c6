import type { Event, LeaseEnded } from "../journal/event.ts";
import type { Report, ReportWhat } from "../journal/report.ts";
import type { Job, StopCause } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { Instant } from "../model/units.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { finishAttempt } from "./finish.ts";
import { afterSeatsFreed, nodeChanged } from "./nodes.ts";
import { stopJob, strongerCause } from "./stop.ts";

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGSYS: 31,
};

/**
 * The events that follow from a report. A repeated report, or one about a lease that has ended, changes nothing: engines
 * repeat reports after an outage (S21).
 */
export function takeReport(state: ReadonlyState, report: Report, now: Instant): Event[] {
  const lease = state.leases.get(report.lease);
  if (lease === undefined || report.sequence <= lease.reportSequence) return [];
  const job = jobOf(state, lease.job);
  // The engine's clock says when something happened, within what the state knows to be possible (S27). A change of the
  // node is a bound too: the record of its GPUs is written forward only.
  const { fleet } = state;
  let known = Math.max(lease.since, fleet.node(lease.node).changedAt);
  for (const gpu of lease.gpus) known = Math.max(known, fleet.partsChangedAt.get(gpu) ?? 0);
  const at = Math.min(now, Math.max(known, report.at));
  const { what } = report;
  const { sequence } = report;
  const { id } = lease;
  switch (what.kind) {
    case "scrubbed":
      return lease.state === "starting" && awaits(lease, "scrub")
        ? [{ at, how: what.how, kind: "lease-scrubbed", lease: id, sequence, v: 1 }]
        : [];
    case "reshaped":
      return lease.state === "starting" && awaits(lease, "reshape")
        ? [{ at, how: what.how, kind: "lease-reshaped", lease: id, sequence, v: 1 }]
        : [];
    case "scrub-failed": {
      // The job is requeued, and the node takes no work until its owner brings it back.
      const node = fleet.node(lease.node);
      const ended = endLease(
        state,
        job,
        lease,
        { at, kind: "lease-ended", lease: id, reason: what.reason, result: "lost", sequence, v: 1 },
        now,
      );
      return node.own.mode === "up"
        ? [...ended, nodeChanged(node, "cordoned", `quarantine: ${what.reason}`, now)]
        : ended;
    }
    case "prepared":
      if (lease.state !== "starting") return [];
      // An engine that skips a scrub has handed over another tenant's data (S4).
      if (awaits(lease, "scrub")) return stopJob(state, job, "member-failed", now);
      return [
        {
          at,
          devices: what.devices,
          enforcement: what.enforcement,
          engineId: what.engineId,
          kind: "lease-prepared",
          lease: id,
          sequence,
          v: 1,
        },
      ];
    case "started":
      if (lease.state === "running") return [];
      return [{ at, kind: "lease-started", lease: id, sequence, v: 1 }];
    case "stopping": {
      const others = stopJob(state, job, what.cause, now, lease.id);
      const cause = strongerCause(job, what.cause);
      return [{ at, cause, graceMs: 0, kind: "lease-stopping", lease: id, sequence, signal: "", v: 1 }, ...others];
    }
    case "exited":
    case "refused":
    case "lost":
      return endLease(state, job, lease, endedBy(what, job, lease, sequence, at), now);
  }
}

function awaits({ handover }: Lease, what: "scrub" | "reshape"): boolean {
  return (handover?.[what].length ?? 0) > 0;
}

function endedBy(
  what: Extract<ReportWhat, { kind: "exited" | "refused" | "lost" }>,
  { alone }: Job,
  { id: lease, rank }: Lease,
  sequence: number,
  at: Instant,
): LeaseEnded {
  const kind = "lease-ended";
  if (what.kind !== "exited") return { at, kind, lease, reason: what.reason, result: what.kind, sequence, v: 1 };
  const { code, limit, neighbour, outputs, ran, signal } = what;
  if (!ran) return { at, kind, lease, reason: what.reason, result: "never-ran", sequence, v: 1 };
  const exitCode = signal === undefined ? (code ?? 0) : 128 + (signalNumbers[signal] ?? 0);
  const reason = reasonOf(what);
  const done = what.done === true && rank === 0 ? true : undefined;
  const ended: LeaseEnded = {
    at,
    done,
    exitCode,
    kind,
    lease,
    limit,
    outputs,
    reason,
    result: "exited",
    sequence,
    v: 1,
  };
  // A member that ended well needs no excuse.
  if (neighbour !== true || exitCode === 0) return ended;
  // One that shares no server had no neighbour, whatever its engine says: it comes back for free once [L3].
  return alone ? { ...ended, reason: ownFaultReason } : { ...ended, neighbour, reason: neighbourReason };
}

/** No other job is named, and what its engine knows of them is not passed on. */
const neighbourReason = "a fault on the GPU that it shared ended it";
const ownFaultReason = "a fatal fault on the GPU ended it";

function reasonOf({ limit, reason }: Extract<ReportWhat, { kind: "exited" }>): string | undefined {
  if (limit === "memory") return "it used more memory than it asked for";
  if (limit === "gpu-memory") return reason ?? "it used more GPU memory than it asked for";
  return reason;
}

/** One member has ended. If it was the last, the attempt is over; if it failed, the others stop too (S5). */
function endLease(state: ReadonlyState, job: Job, lease: Lease, ended: LeaseEnded, now: Instant): Event[] {
  const freed = afterSeatsFreed(state, [lease.node], now);
  const rest = job.leases.length > 1 && job.state !== "stopping";
  const blameless = ended.result !== "exited" || ended.neighbour === true;
  // The end of an extra member that had to leave, never ran, or is not to blame does not change its job.
  if (lease.extra && rest && (lease.state === "stopping" || blameless)) return [ended, ...freed];
  if (job.leases.length === 1) return [ended, ...finishAttempt(state, job, ended, now), ...freed];
  const bad = ended.result !== "exited" || ended.exitCode !== 0;
  if (!bad) return [ended, ...freed];
  return [ended, ...stopJob(state, job, stopCauseOf(ended), now, lease.id), ...freed];
}

/** Why the other members stop after this end of one. */
function stopCauseOf({ result, neighbour, limit }: LeaseEnded): StopCause {
  if (result === "lost") return "node-lost";
  if (neighbour === true) return "neighbour-fault";
  return limit === "time" ? "time-limit" : "member-failed";
}
