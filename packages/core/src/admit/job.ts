import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import { durationText } from "../model/duration.ts";
import { beyondEgress } from "../model/egress.ts";
import { modelMatches } from "../model/gpu-name.ts";
import type { AccountNo, UserId } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { memoryText } from "../model/memory.ts";
import { mostOf } from "../model/numbers.ts";
import { graceMaxOf } from "../model/policy.ts";
import { pathUp } from "../quota/accounts.ts";
import { userCount } from "../quota/held.ts";
import { arraySize } from "../state/apply/new-job.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { dataRefused } from "./data.ts";
import { tooMuch } from "./load.ts";
import { neverFits } from "./never-fits.ts";

/** May this job compete? Undefined = yes; a refused job could not start, or would exceed a limit of its accounts. */
export function admitJob(state: ReadonlyState, account: AccountNo, user: UserId, spec: JobSpec): Refusal | undefined {
  const found = [
    ruledOut(state, account, spec),
    overLimits(state, account, user, spec),
    tooMuch(state, account, user, spec, Math.max(1, arraySize(spec))),
    graceTooLong(state, spec),
    foldersTooLarge(state, account, spec),
    reachesTooFar(state, account, spec),
    dataRefused(state, account, user, spec),
    neverFits(state, account, spec),
  ].filter((refusal) => refusal !== undefined);
  return refuseAll(found.filter(({ field }, i) => i === found.findIndex((other) => other.field === field)));
}

/** Whether a waiting job may be changed to this; undefined = yes. That it waits already is counted. */
export function admitChange(
  state: ReadonlyState,
  account: AccountNo,
  user: UserId,
  spec: JobSpec,
): Refusal | undefined {
  return (
    ruledOut(state, account, spec) ??
    overLimits(state, account, user, spec, 0) ??
    graceTooLong(state, spec) ??
    foldersTooLarge(state, account, spec) ??
    reachesTooFar(state, account, spec) ??
    dataRefused(state, account, user, spec) ??
    tooMuch(state, account, user, spec, 0) ??
    neverFits(state, account, spec)
  );
}

/** Whether a waiting job could be changed to this. Limits per job and user are not checked: it has passed them. */
export function mayAsk(state: ReadonlyState, account: AccountNo, spec: JobSpec): boolean {
  return ruledOut(state, account, spec) === undefined && neverFits(state, account, spec) === undefined;
}

/** Refuses types, images and GPU models that an account on the path does not allow. */
function ruledOut(state: ReadonlyState, account: AccountNo, spec: JobSpec): Refusal | undefined {
  for (const { path, terms } of pathUp(state, account)) {
    const { models, types, images } = terms.allowed;
    if (types !== undefined && !types.includes(spec.type)) {
      return refuse("not-allowed", "type", spec.type, `is not allowed in ${path}`, `use one of ${types.join(", ")}`);
    }
    if (images !== undefined && spec.image !== undefined && !beginsLikeOne(spec.image, images)) {
      return refuse(
        "not-allowed",
        "image",
        spec.image,
        `is not allowed in ${path}`,
        `use an image that begins with ${images.join(", ")}`,
      );
    }
    if (models !== undefined && !asksForOne(spec, models)) {
      return refuse(
        "not-allowed",
        "gpus",
        spec.gpus[0]!.model,
        `is not a GPU model that ${path} allows`,
        `use one of ${models.join(", ")}`,
      );
    }
  }
  return undefined;
}

function beginsLikeOne(image: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => image.startsWith(prefix));
}

/** Whether an alternative asks for one of these models, or for no GPU. */
function asksForOne({ gpus }: JobSpec, models: readonly string[]): boolean {
  return gpus.some(
    (ask) => ask.count === 0 || models.some((model) => modelMatches(model, ask.model) || model === ask.model),
  );
}

/** Refuses a grace for which everyone who waits for the GPUs would wait longer than the owner allows. */
function graceTooLong({ policy }: ReadonlyState, { checkpoint }: JobSpec): Refusal | undefined {
  const mostMs = graceMaxOf(policy);
  if (checkpoint === undefined || checkpoint.graceMs <= mostMs) return undefined;
  const most = durationText(mostMs);
  const why = `is too long: the owner of the fleet allows at most ${most}`;
  return refuse("not-allowed", "checkpoint.grace", durationText(checkpoint.graceMs), why, `give at most ${most}`);
}

/** Refuses more than the owner allows where no account on the path has a limit of its own. */
function foldersTooLarge(state: ReadonlyState, account: AccountNo, { scratchMiB = 0 }: JobSpec): Refusal | undefined {
  const most = mostOf(state.policy, "scratchMiBPerMember");
  if (scratchMiB <= most) return undefined;
  if (pathUp(state, account).some(({ terms }) => terms.limits.scratchMiBMax !== undefined)) return undefined;
  const detail = `is more than the ${memoryText(most)} that the owner of the fleet allows to a member`;
  return refuse("not-allowed", "scratch", memoryText(scratchMiB), detail, `ask for at most ${memoryText(most)}`);
}

/** Refuses to reach more than an account on the path allows. */
function reachesTooFar(state: ReadonlyState, account: AccountNo, { egress }: JobSpec): Refusal | undefined {
  if (egress === undefined) return undefined;
  for (const { path, terms } of pathUp(state, account)) {
    const most = terms.limits.egress;
    const beyond = most === undefined ? undefined : beyondEgress(egress, most);
    if (beyond === undefined) continue;
    const allowed = typeof most === "object" ? most.allow.join(", ") : most;
    const why = `reaches further than jobs in ${path} may (${allowed})`;
    return refuse("not-allowed", "egress", beyond, why, "leave egress out to get what is allowed");
  }
  return undefined;
}

/** Refuses a job beyond the limits per job and per user of an account on the path. */
function overLimits(
  state: ReadonlyState,
  account: AccountNo,
  user: UserId,
  spec: JobSpec,
  more = Math.max(1, arraySize(spec)),
): Refusal | undefined {
  let fewest = Number.POSITIVE_INFINITY;
  for (const { count } of spec.gpus) fewest = Math.min(fewest, count);
  const gpus = fewest * spec.members.min;
  for (const { no, path, terms } of pathUp(state, account)) {
    const { gpusPerJobMax, runMsMax, waitingJobsPerUserMax, gpusPerUserMax, scratchMiBMax } = terms.limits;
    if (gpusPerJobMax !== undefined && gpus > gpusPerJobMax) {
      return refuse(
        "not-allowed",
        "gpus",
        gpus,
        `is more than the ${gpusPerJobMax} GPUs that one job may hold in ${path}`,
        `ask for at most ${gpusPerJobMax} GPUs in all`,
      );
    }
    if (gpusPerUserMax !== undefined && gpus > gpusPerUserMax) {
      return refuse(
        "not-allowed",
        "gpus",
        gpus,
        `is more than the ${gpusPerUserMax} GPUs that one user may hold in ${path}`,
        `ask for at most ${gpusPerUserMax} GPUs in all`,
      );
    }
    if (runMsMax !== undefined && (spec.maxTimeMs ?? Number.POSITIVE_INFINITY) > runMsMax) {
      const value = spec.maxTimeMs === undefined ? null : durationText(spec.maxTimeMs);
      return refuse(
        "not-allowed",
        "max_time",
        value,
        `${value === null ? "is missing" : "is too long"}: jobs in ${path} run at most ${durationText(runMsMax)}`,
        `set max_time to at most ${durationText(runMsMax)}`,
      );
    }
    if (scratchMiBMax !== undefined && (spec.scratchMiB ?? 0) > scratchMiBMax) {
      return refuse(
        "not-allowed",
        "scratch",
        memoryText(spec.scratchMiB!),
        `is more than the ${memoryText(scratchMiBMax)} that a member may use in ${path}`,
        `ask for at most ${memoryText(scratchMiBMax)}`,
      );
    }
    if (waitingJobsPerUserMax === undefined || more === 0) continue;
    const count = userCount(state.usage[no]!, user).waiting;
    if (count + more > waitingJobsPerUserMax) {
      return refuse(
        "not-allowed",
        "",
        count,
        `You have ${count} ${count === 1 ? "job" : "jobs"} waiting in ${path} (limit ${waitingJobsPerUserMax})`,
        "wait until some have started, or cancel some",
      );
    }
  }
  return undefined;
}
