import { type Job, type JobId, type LeaseId, leaseIdOf } from "@tessera/core";
import { may } from "../../access/policy.ts";
import { inScope, type Principal } from "../../access/principal.ts";
import { type Ground, stillThere } from "../guard/streams.ts";

/** A person inside one member of one attempt of a job. */
export interface Visit {
  readonly principal: Principal;
  readonly job: JobId;
  readonly attempt: number;
  readonly rank: number;
}

export function leaseOf({ job, attempt, rank }: Visit): LeaseId {
  return leaseIdOf(job, attempt, rank);
}

/** Why a visit must end now; undefined while it may go on. Asked again and again, because rights and jobs change. */
export function visitOver(ground: Ground, visit: Visit): "not-allowed" | "job-over" | undefined {
  const { state } = ground.control;
  const principal = stillThere(ground, visit.principal);
  if (principal === undefined) return "not-allowed";
  const job = liveJob(ground, visit);
  if (job === undefined) return "job-over";
  const own = job.user === principal.user.id;
  const allowed = inScope(principal, "job.enter") && may(state, principal.user, "job.enter", job.account, own);
  return allowed ? undefined : "not-allowed";
}

/** The job, while this attempt of it runs or is being stopped. */
export function liveJob(ground: Ground, { job: id, attempt }: Visit): Job | undefined {
  const job = ground.control.state.jobById.get(id);
  const runs = job !== undefined && job.attempt === attempt && (job.state === "running" || job.state === "stopping");
  return runs ? job : undefined;
}
