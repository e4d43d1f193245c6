import type { Event, LeaseEnded } from "../journal/event.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { Instant } from "../model/units.ts";
import { jobOf, type State } from "../state/state.ts";
import { finishAttempt } from "./finish.ts";
import { afterSeatsFreed } from "./nodes.ts";
import type { Report, ReportWhat } from "./report.ts";
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
 * What a report leads to. A report that was taken in before, or that speaks of a lease that is over, changes nothing:
 * engines repeat themselves after an outage (S21).
 */
export function takeReport(state: State, report: Report, now: Instant): Event[] {
  const lease = state.leases.get(report.lease);
  if (lease === undefined || report.sequence <= lease.reportSequence) return [];
  const job = jobOf(state, lease.job);
  // The engine's clock decides when something happened, within what we know to be possible (S27). A change of the node
  // counts too: the record of its devices is written forward only.
  const known = Math.max(lease.since, state.fleet.node(lease.node).changedAt);
  const at = Math.min(now, Math.max(known, report.at));
  const { what } = report;
  const head = { v: 1, at, lease: lease.id, sequence: report.sequence } as const;
  switch (what.kind) {
    case "prepared":
      if (lease.state !== "starting") return [];
      return [{ kind: "lease-prepared", ...head, engineId: what.engineId, enforcement: what.enforcement }];
    case "started":
      if (lease.state === "running") return [];
      return [{ kind: "lease-started", ...head }];
    case "stopping": {
      const others = stopJob(state, job, what.cause, now, lease.id);
      const cause = strongerCause(job, what.cause);
      return [{ kind: "lease-stopping", ...head, cause, signal: "", graceMs: 0 }, ...others];
    }
    case "exited":
    case "refused":
    case "lost":
      return endLease(state, job, lease, { kind: "lease-ended", ...head, ...endOf(what) }, now);
  }
}

function endOf(
  what: Extract<ReportWhat, { kind: "exited" | "refused" | "lost" }>,
): Pick<LeaseEnded, "result" | "exitCode" | "limit" | "reason"> {
  if (what.kind !== "exited") return { result: what.kind, reason: what.reason };
  if (!what.ran) return { result: "never-ran", reason: what.reason };
  const exitCode = what.signal === undefined ? (what.code ?? 0) : 128 + (signalNumbers[what.signal] ?? 0);
  const reason = what.limit === "memory" ? "it used more memory than it asked for" : what.reason;
  return { result: "exited", exitCode, limit: what.limit, reason };
}

/** One member is gone. If it was the last, the attempt is over; if it ended badly, the others go too (S5). */
export function endLease(state: State, job: Job, lease: Lease, ended: LeaseEnded, now: Instant): Event[] {
  const freed = afterSeatsFreed(state, [lease.node], now);
  const rest = job.leases.length > 1 && job.state !== "stopping";
  // An extra member that was asked to leave, or never came to run, leaves its job as it is.
  if (lease.extra && rest && (lease.state === "stopping" || ended.result !== "exited")) return [ended, ...freed];
  if (job.leases.length === 1) return [ended, ...finishAttempt(state, job, ended, now), ...freed];
  const bad = ended.result !== "exited" || ended.exitCode !== 0;
  if (!bad) return [ended, ...freed];
  const cause = ended.result === "lost" ? "node-lost" : ended.limit === "time" ? "time-limit" : "member-failed";
  return [ended, ...stopJob(state, job, cause, now, lease.id), ...freed];
}
