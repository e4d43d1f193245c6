import type { Event } from "../journal/event.ts";
import type { JobNo, NodeNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import { endingTogether, finishAttempt } from "../run/finish.ts";
import { stopJob } from "../run/stop.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";

/** All leases on these nodes are lost; a gang with members elsewhere stops there and starts again whole. */
export function loseLeases(state: State, nodes: ReadonlySet<NodeNo>, reason: string, now: Instant): Event[] {
  const together = endingTogether();
  const jobs = new Set<JobNo>();
  for (const lease of state.leases.values()) if (nodes.has(lease.node)) jobs.add(lease.job);
  return [...jobs]
    .sort((a, b) => a - b)
    .flatMap((no) => {
      const job = jobOf(state, no);
      const lost = job.leases.filter((lease) => nodes.has(lease.node));
      const events: Event[] = lost.map((lease) => ({
        kind: "lease-ended",
        v: 1,
        at: now,
        lease: lease.id,
        sequence: lease.reportSequence,
        result: "lost",
        reason,
      }));
      if (lost.length === job.leases.length)
        return [...events, ...finishAttempt(state, job, { result: "lost", reason }, now, together)];
      const gone = new Set<string>(lost.map((lease) => lease.id));
      const rest = stopJob(state, job, "node-lost", now).filter(
        (event) => event.kind !== "lease-stopping" || !gone.has(event.lease),
      );
      return [...events, ...rest];
    });
}
