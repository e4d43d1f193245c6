import { type Refusal, refuse } from "../journal/refusal.ts";
import type { AccountNo, UserId } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { memoryText } from "../model/memory.ts";
import { mostOf, type Numbers } from "../model/numbers.ts";
import { tenantOf } from "../quota/accounts.ts";
import { arraySize } from "../state/apply/new-job.ts";
import { bytesOf } from "../state/indexes/load.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/**
 * Refuses what would take more of the control plane's memory than the owner allows: too long an array, too many
 * waiting jobs, too large job files. `more` is how many more jobs would wait; 0 for a change of a job that waits already.
 */
export function tooMuch(
  state: ReadonlyState,
  account: AccountNo,
  user: UserId,
  spec: JobSpec,
  more: number,
): Refusal | undefined {
  return tooLong(state, spec) ?? tooMany(state, account, user, more) ?? tooLarge(state, account, user, spec);
}

function tooLong({ policy }: ReadonlyState, spec: JobSpec): Refusal | undefined {
  const size = arraySize(spec);
  const most = mostOf(policy, "arrayElements");
  if (size <= most) return undefined;
  const hint = `split it into several arrays; ${raise("arrayElements")}`;
  return refuse("not-allowed", "array", size, `has ${size} elements (limit ${most})`, hint);
}

function tooMany(state: ReadonlyState, account: AccountNo, user: UserId, more: number): Refusal | undefined {
  if (more === 0) return undefined;
  const { policy, load } = state;
  const tenant = tenantOf(state, account);
  const check = (count: number, most: number, holder: string, hint: string): Refusal | undefined => {
    if (count + more <= most) return undefined;
    const asks = more === 1 ? "" : `, and this asks for ${more} more`;
    const detail = `${holder} ${count} ${count === 1 ? "job" : "jobs"} waiting${asks} (limit ${most})`;
    return refuse("not-allowed", "", count, detail, `wait until some have started, or cancel some; ${hint}`);
  };
  const own = mostOf(policy, "waitingJobsPerUser");
  const all = tenant.terms.limits.waitingJobsMax ?? mostOf(policy, "waitingJobsPerTenant");
  return (
    check(load.ofUser(user).waiting, own, "You have", raise("waitingJobsPerUser")) ??
    check(load.ofTenant(tenant.no).waiting, all, `${tenant.path} has`, raise("waitingJobsPerTenant"))
  );
}

function tooLarge(state: ReadonlyState, account: AccountNo, user: UserId, spec: JobSpec): Refusal | undefined {
  const { policy, load } = state;
  const tenant = tenantOf(state, account);
  const more = bytesOf(spec);
  const check = (bytes: number, mostMiB: number, holder: string, hint: string): Refusal | undefined => {
    if (bytes + more <= mostMiB * miB) return undefined;
    const detail = `The job files of ${holder} take ${sizeText(bytes)}, and this takes ${sizeText(more)} more (limit ${memoryText(mostMiB)})`;
    return refuse("not-allowed", "", bytes, detail, `put long scripts into files that jobs read; ${hint}`);
  };
  const own = mostOf(policy, "jobFilesMiBPerUser");
  const all = tenant.terms.limits.jobFilesMiBMax ?? mostOf(policy, "jobFilesMiBPerTenant");
  return (
    check(load.ofUser(user).bytes, own, "your live jobs", raise("jobFilesMiBPerUser")) ??
    check(load.ofTenant(tenant.no).bytes, all, `all live jobs of ${tenant.path}`, raise("jobFilesMiBPerTenant"))
  );
}

const miB = 2 ** 20;

function sizeText(bytes: number): string {
  return bytes < miB ? `${Math.ceil(bytes / 1024)}Ki` : memoryText(Math.ceil(bytes / miB));
}

function raise(name: keyof Numbers): string {
  return `an owner can raise it: tess policy set --max ${name}=NUMBER`;
}
