import type { Command } from "../journal/command.ts";
import type { Decision } from "../journal/outcome.ts";
import { refuse } from "../journal/refusal.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { unmadeById } from "../state/unmade.ts";

/** Only where something runs is there an inside. */
export function enterJob(
  state: State,
  { job: id, rank, user, how }: Extract<Command, { kind: "job.enter" }>,
  now: Instant,
): Decision {
  const job = state.jobById.get(id) ?? unmadeById(state, id);
  if (job === undefined) {
    const array = state.arrayById.get(id);
    if (array === undefined) return refuse("conflict", "job", id, "has ended", "see: tess ps --all");
    const first = `${id}.${array.spec.array?.first ?? 1}`;
    return refuse("invalid", "job", id, "is an array", `name an element, such as ${first}`);
  }
  if (job.state !== "running") {
    const hint = job.state === "stopping" ? "see: tess logs" : "wait for it: tess wait --for running";
    return refuse("conflict", "job", id, `is ${job.state}, and only a running job can be entered`, hint);
  }
  if (!job.leases.some((lease) => lease.rank === rank)) {
    const highest = job.leases.reduce((most, lease) => Math.max(most, lease.rank), 0);
    return refuse("invalid", "rank", rank, "is not a member of this job", `give a rank from 0 to ${highest}`);
  }
  return { events: [{ kind: "job-entered", v: 1, at: now, how, job: job.no, rank, user }] };
}
