import type { Job as WireJob } from "@tessera/wire";
import type { FoundJob } from "../../flow/find/find-job.ts";

/** Which attempt has logs, and how many members it had. */
export interface Run {
  readonly job: string;
  readonly attempt: number;
  readonly members: number;
  /** Between the end of the attempt before and its own. */
  readonly from: number;
  readonly to: number;
}

/** The attempt asked for, or the last that ran; undefined when none has. */
export function runOf(target: FoundJob, attempt: number | undefined): Run | undefined {
  if ("ended" in target) return endedRun(JSON.parse(target.ended.doc) as WireJob, attempt);
  const job = target.live;
  if ("size" in job) return undefined;
  const last = job.state === "waiting" ? job.attempt - 1 : job.attempt;
  const wanted = attempt ?? last;
  if (wanted < 1 || wanted > last) return undefined;
  const seats = wanted === job.attempt ? job.seats : job.attempts.find((past) => past.attempt === wanted)?.seats;
  // Of attempts that are no longer kept one by one only the most members they can have begun with is known.
  const endOf = (attempt: number) => job.attempts.find((past) => past.attempt === attempt)?.endedAt;
  return {
    ...{ job: job.id, attempt: wanted, members: seats?.length ?? job.spec.members.max },
    ...{ from: endOf(wanted - 1) ?? 0, to: endOf(wanted) ?? Number.POSITIVE_INFINITY },
  };
}

function endedRun(doc: WireJob, attempt: number | undefined): Run | undefined {
  const attempts = doc.attempts ?? [];
  const oldest = attempts[0];
  if (oldest !== undefined && attempt !== undefined && attempt > 0 && attempt < oldest.attempt)
    return { job: doc.id, attempt, members: oldest.nodes.length, from: 0, to: Date.parse(oldest.placedAt) };
  const found = attempt === undefined ? attempts.at(-1) : attempts.find((each) => each.attempt === attempt);
  const before = attempts.findLast((each) => found !== undefined && each.attempt < found.attempt);
  return (
    found && {
      ...{ job: doc.id, attempt: found.attempt, members: found.nodes.length },
      ...{ from: before === undefined ? 0 : Date.parse(before.endedAt), to: Date.parse(found.endedAt) },
    }
  );
}
