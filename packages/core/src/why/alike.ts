import type { JobNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { wishOf } from "../state/wish-of.ts";
import type { ReasonKind } from "./reason.ts";
import { ownReason, reasonKind } from "./reason-for.ts";
import { Rooms } from "./rooms.ts";

/** Why jobs wait that are alike: of one account and priority, with the same request. */
export interface AlikeReason {
  /** Of the oldest. */
  readonly kind: ReasonKind;
  /** Of this job and those that came after it, where they wait for something else. */
  readonly younger?: { readonly from: JobNo; readonly kind: ReasonKind };
}

/** The same for all jobs that are alike, and for no others. */
export function alikeKey(state: ReadonlyState, job: Job): string {
  return `${job.account} ${job.spec.priority} ${wishOf(state, job).shape.key}`;
}

export function kindAmong({ kind, younger }: AlikeReason, { no }: Job): ReasonKind {
  return younger !== undefined && no >= younger.from ? younger.kind : kind;
}

/**
 * Why the jobs wait that are alike with this one, for counting thousands. They differ only in who was passed over: a job
 * that started passed over those that waited already, so the reason changes once from the oldest to the youngest, and
 * a few of them are asked instead of all.
 */
export function alikeReason(state: ReadonlyState, job: Job, now: Instant, rooms = new Rooms(state.fleet)): AlikeReason {
  const jobs = alikeWith(state, job, now);
  const kindOf = (nth: number) => reasonKind(state, jobs[nth]!, now, rooms);
  const oldest = kindOf(0);
  const youngest = jobs.length === 1 ? oldest : kindOf(jobs.length - 1);
  if (oldest === youngest) return { kind: oldest };
  let [before, from] = [0, jobs.length - 1];
  while (from - before > 1) {
    const middle = (before + from) >> 1;
    if (kindOf(middle) === oldest) before = middle;
    else from = middle;
  }
  return { kind: oldest, younger: { from: jobs[from]!.no, kind: youngest } };
}

/** By age, without those that something of their own keeps waiting. */
function alikeWith(state: ReadonlyState, job: Job, now: Instant): readonly Job[] {
  const isAlike = (other: Job) =>
    other.spec.priority === job.spec.priority &&
    other.claim === undefined &&
    ownReason(state, other, now) === undefined;
  const jobs = [...(state.waiting.groupOf(job)?.rivals.groups ?? [])].flatMap((group) => group.jobs.filter(isAlike));
  return jobs.length === 0 ? [job] : jobs.sort((a, b) => a.no - b.no);
}
