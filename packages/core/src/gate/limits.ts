import type { Account } from "../model/account.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { mostOf } from "../model/numbers.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { pathUp, tenantOf } from "../quota/accounts.ts";
import { userCount } from "../quota/held.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** A limit of an account that keeps a job from starting. */
export type LimitHit =
  | { readonly kind: "gpus-per-user"; readonly account: Account; readonly max: number; readonly heldUnits: number }
  | { readonly kind: "cpu-members"; readonly account: Account; readonly max: number; readonly running: number }
  | {
      readonly kind: "gpu-time";
      readonly account: Account;
      readonly until: Instant;
      readonly usedUnitMs: number;
      readonly maxUnitMs: number;
    };

/** The first limit on the path that keeps a job of that many GPU units from starting now. */
export function limitHit(state: ReadonlyState, job: Job, units: number, now: Instant): LimitHit | undefined {
  if (units === 0) return cpuMembersHit(state, job);
  for (const account of pathUp(state, job.account)) {
    const { gpusPerUserMax, gpuTime } = account.terms.limits;
    if (gpusPerUserMax !== undefined) {
      const heldUnits = userCount(state.usage[account.no]!, job.user).units;
      if (heldUnits + units > gpusPerUserMax * unitsPerGpu)
        return { kind: "gpus-per-user", account, max: gpusPerUserMax, heldUnits };
    }
    if (gpuTime === undefined) continue;
    const { everyMs, unitMsMax: maxUnitMs } = gpuTime;
    const usedUnitMs = usedInWindow(state, account.no, everyMs, now);
    if (usedUnitMs >= maxUnitMs)
      return { kind: "gpu-time", account, until: now - (now % everyMs) + everyMs, usedUnitMs, maxUnitMs };
  }
  return undefined;
}

/** The owner's limit on members without GPUs, which no quota of GPUs bounds [C6]. */
function cpuMembersHit(state: ReadonlyState, { account, spec }: Job): LimitHit | undefined {
  if (spec.gpus[0]!.count > 0) return undefined;
  const tenant = tenantOf(state, account);
  const max = tenant.terms.limits.cpuMembersMax ?? mostOf(state.policy, "cpuMembersPerTenant");
  const running = state.load.ofTenant(tenant.no).cpuMembers;
  return running + spec.members.min > max ? { kind: "cpu-members", account: tenant, max, running } : undefined;
}

/** GPU time of an account's subtree in the present window: of ended leases as recorded, of running ones up to now. */
function usedInWindow(state: ReadonlyState, account: AccountNo, everyMs: number, now: Instant): number {
  const from = now - (now % everyMs);
  const window = state.gpuTime.get(account);
  let unitMs = window !== undefined && window.from === from ? window.unitMs : 0;
  for (const lease of state.leases.values()) {
    for (const above of pathUp(state, jobOf(state, lease.job).account)) {
      if (above.no === account)
        unitMs += lease.unitsEach * lease.gpus.length * Math.max(0, now - Math.max(from, lease.placedAt));
    }
  }
  return unitMs;
}
