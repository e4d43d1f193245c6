import {
  alternativesFor,
  expected,
  type Job,
  jobsAheadOf,
  type Outlook,
  type Reason,
  reasonFor,
  roomAt,
  type StartBand,
  startBand,
  type User,
} from "@tessera/core";
import { type Alternative, type Explanation, type Start, type WaitReason, waitingReasons } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import { renderReason } from "../../render/job.ts";
import { renderAlternative, renderStart } from "../../render/outlook.ts";
import { timestamp } from "../../render/quantities.ts";
import { waitsAgain } from "../../render/waits-again.ts";
import type { ControlPlane } from "../control.ts";
import { learnWait } from "./history.ts";
import { particularsOf } from "./particulars.ts";
import { remediesOf } from "./remedies.ts";

/** Why a waiting job waits, which jobs are ahead, when it will start, and what would start it now. */
export async function explainWaiting(control: ControlPlane, user: User, job: Job): Promise<Explanation> {
  const { state } = control;
  const now = control.now();
  const reason = reasonFor(state, job, now);
  const { own, others } = jobsAheadOf(state, job);
  const ahead = own.guaranteed + own.burst + others.guaranteed + others.burst;
  const outlook = expected(state, job, now);
  const again = waitsAgain(job);
  const told = { ...renderReason(reason), ...(await particularsOf(control, user, job, reason)) };
  return {
    job: job.id,
    state: "waiting",
    reason: told,
    ...(again !== undefined && { again }),
    position: ahead + 1,
    ahead,
    aheadBy: { account: own, others },
    remedies: remediesOf(state, user, job, reason),
    alternatives: alternativesOf(control, user, job, reason, outlook),
    start: await startOf(control, job, outlook, told),
  };
}

/** Changes that would start it now or sooner, as far as this user could make them. */
export function alternativesOf(
  control: ControlPlane,
  user: User,
  job: Job,
  reason: Reason,
  outlook: Outlook,
): Alternative[] {
  if (!waitingReasons[reason.kind].changeable) return [];
  const { state, capabilities } = control;
  const terms = {
    offers: (isolation: string) => isolation === "any" || (capabilities.isolation as string[]).includes(isolation),
    mayRaise: may(state, user, "job.submit", job.account),
  };
  const found = alternativesFor(state, job, control.now(), outlook, terms);
  return found.map((each) => renderAlternative(state, user, job, each));
}

/** Of these reasons, what makes the end known where it is: the job starts then at the earliest. */
const periods: Readonly<Partial<Record<WaitReason["kind"], Start["basis"]>>> = {
  price: "price",
  budget: "period",
  quota: "period",
};

/** The planned start with what past runs make of it; else a band from past waits; else why it is not known [B3]. */
export async function startOf(
  control: ControlPlane,
  job: Job,
  outlook: Outlook,
  reason: Pick<WaitReason, "kind" | "until"> | undefined,
): Promise<Start> {
  return withDeadline(job, await startAsKnown(control, job, outlook, reason));
}

async function startAsKnown(
  control: ControlPlane,
  job: Job,
  outlook: Outlook,
  reason: Pick<WaitReason, "kind" | "until"> | undefined,
): Promise<Start> {
  const { state, reader } = control;
  const now = control.now();
  if (job.claim !== undefined) return { when: "later", at: timestamp(roomAt(state, job, now)), basis: "eviction" };
  const start = renderStart(state, outlook, now);
  const basis = reason && periods[reason.kind];
  if (basis !== undefined && reason?.until !== undefined) return { when: "later", at: reason.until, basis };
  if (start.when === "now" || job.held || job.waitsFor > 0) return start;
  const band = startBand(state, job, now);
  if (band !== undefined) return { basis: "run-times", ...withoutWhy(start), when: "later", ...renderBand(band) };
  if (start.when === "later") return start;
  if (job.notBeforeAt > now) return start;
  const wait = await learnWait(reader, state, job, now);
  return wait === undefined ? start : { when: "later", basis: "wait-times", ...renderBand(wait) };
}

/** Says so where a job would be given up at its deadline before it is done. */
function withDeadline({ spec, usualMs = 0 }: Job, start: Start): Start {
  const { deadlineAt, maxTimeMs, expectedMs } = spec;
  const at = start.p90 ?? start.at;
  if (deadlineAt === undefined || at === undefined) return start;
  const doneAt = Date.parse(at) + (expectedMs ?? maxTimeMs ?? usualMs);
  return doneAt > deadlineAt ? { ...start, missesDeadline: timestamp(deadlineAt) } : start;
}

function withoutWhy({ why, ...start }: Start): Start {
  return start;
}

function renderBand({ p50, p90, samples }: StartBand): Pick<Start, "p50" | "p90" | "samples"> {
  return { p50: timestamp(p50), p90: timestamp(p90), samples };
}
