import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Account, AccountTerms, GpuAmounts } from "../model/account.ts";
import { rootAccount } from "../model/ids.ts";
import { unitsPerGpu } from "../model/units.ts";
import { accountOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

function totalOf(amounts: GpuAmounts): number {
  let total = 0;
  for (const key in amounts) total += amounts[key]!;
  return total;
}

function add(into: Record<string, number>, amounts: GpuAmounts): void {
  for (const key in amounts) into[key] = (into[key] ?? 0) + amounts[key]!;
}

/**
 * The units by which guarantees `below` exceed those `above` [U2]. A shortage of a model may come out of `*`, and `*` may
 * be served by any model that is left over.
 */
export function exceeds(below: GpuAmounts, above: GpuAmounts): number {
  let lacking = 0;
  let spare = 0;
  for (const key in below) if (key !== "*") lacking += Math.max(0, below[key]! - (above[key] ?? 0));
  for (const key in above) if (key !== "*") spare += Math.max(0, above[key]! - (below[key] ?? 0));
  const any = above["*"] ?? 0;
  return Math.max(0, lacking - any, lacking + (below["*"] ?? 0) - any - spare);
}

/** The sum of the guarantees directly below an account, with one of them replaced or added. */
function guaranteedBelow(state: ReadonlyState, parent: Account, but?: Account, terms?: AccountTerms): GpuAmounts {
  const sum: Record<string, number> = {};
  for (const child of parent.children) {
    if (child !== but?.no) add(sum, promisedTo(accountOf(state, child)));
  }
  if (terms !== undefined) add(sum, terms.quota.guarantee);
  return sum;
}

/** The larger of the guarantee now and after its window [U4]: others must not get what comes back when it ends. */
function promisedTo({ terms, base }: Account): GpuAmounts {
  if (base === undefined) return terms.quota.guarantee;
  const most: Record<string, number> = { ...base.quota.guarantee };
  for (const [model, units] of Object.entries(terms.quota.guarantee)) most[model] = Math.max(most[model] ?? 0, units);
  return most;
}

/** The fleet's GPUs as a quota, to compare with the sum over tenants. */
function fleetAmounts(state: ReadonlyState): GpuAmounts {
  const sum: Record<string, number> = {};
  const { fleet } = state;
  for (let gpu = 0; gpu < fleet.gpus; gpu++) {
    const model = fleet.models[fleet.gpuModel[gpu]!]!;
    sum[model] = (sum[model] ?? 0) + fleet.gpuCapacity[gpu]!;
  }
  return sum;
}

/** Whether the guarantees below an account exceed its own, or the fleet; shown with the account. */
export function overcommitted(state: ReadonlyState, account: Account): boolean {
  const above =
    account.no === rootAccount ? familyAmounts(state, guaranteedBelow(state, account)) : account.terms.quota.guarantee;
  return exceeds(guaranteedBelow(state, account), above) > 0;
}

/** The fleet, with variants counted under the family name that a guarantee uses (`H100-80GB` under `H100`). */
function familyAmounts(state: ReadonlyState, names: GpuAmounts): GpuAmounts {
  const sum: Record<string, number> = {};
  for (const [model, units] of Object.entries(fleetAmounts(state))) {
    const family = Object.keys(names).find((name) => model === name || model.startsWith(`${name}-`)) ?? model;
    sum[family] = (sum[family] ?? 0) + units;
  }
  return sum;
}

/** The rules of a quota tree: guarantees nest, a max is not below its guarantee, trust is set on tenants. */
export function checkTerms(
  state: ReadonlyState,
  parent: Account,
  self: Account | undefined,
  terms: AccountTerms,
  lasts: "for-good" | "for-a-time" = "for-good",
): Refusal | undefined {
  const { quota } = terms;
  // A permanent guarantee must not rest on one that the account above has only during a window [U4].
  const parentTerms = lasts === "for-good" ? (parent.base ?? parent.terms) : parent.terms;
  const guaranteed = totalOf(quota.guarantee);
  const ceiling = quota.max?.["*"];
  if (ceiling !== undefined && guaranteed > ceiling) {
    return refuse(
      "invalid",
      "max",
      ceiling / unitsPerGpu,
      "is below the guarantee",
      `give a max of at least ${guaranteed / unitsPerGpu}, or a smaller guarantee`,
    );
  }
  for (const key in quota.max ?? {}) {
    if (key !== "*" && (quota.guarantee[key] ?? 0) > quota.max![key]!) {
      return refuse(
        "invalid",
        `max.${key}`,
        quota.max![key]! / unitsPerGpu,
        "is below the guarantee",
        `give at least ${quota.guarantee[key]! / unitsPerGpu}`,
      );
    }
  }
  if (parent.no !== rootAccount && (terms.trust !== "trusted" || terms.trustGroup !== undefined)) {
    return refuse(
      "invalid",
      "trust",
      terms.trust,
      "cannot be set on an account inside a tenant",
      "set it on the tenant, the top-level account",
    );
  }
  const { waitingJobsMax, jobFilesMiBMax, cpuMembersMax } = terms.limits;
  const forTenants = { waitingJobs: waitingJobsMax, jobFilesMiB: jobFilesMiBMax, cpuMembers: cpuMembersMax };
  for (const [name, value] of Object.entries(forTenants))
    if (value !== undefined && parent.no !== rootAccount)
      return refuse(
        "invalid",
        `limits.${name}`,
        value,
        "can be set on tenants only",
        "set it on the top-level account",
      );
  const mayExceed = terms.overcommit || parentTerms.overcommit;
  const siblings = guaranteedBelow(state, parent, self, terms);
  const above = parent.no === rootAccount ? familyAmounts(state, siblings) : parentTerms.quota.guarantee;
  const over = exceeds(siblings, above);
  if (over > 0 && !mayExceed) {
    const where = parent.no === rootAccount ? "the fleet has" : `${parent.path} is guaranteed`;
    return refuse(
      "over-guarantee",
      "guarantee",
      guaranteed / unitsPerGpu,
      `is too much: with the guarantees of its sibling accounts it exceeds what ${where} by ${over / unitsPerGpu} GPUs`,
      "lower it, raise the guarantee above, or set overcommit: true",
    );
  }
  if (self !== undefined) {
    const below = exceeds(guaranteedBelow(state, self), quota.guarantee);
    if (below > 0 && !terms.overcommit) {
      return refuse(
        "over-guarantee",
        "guarantee",
        guaranteed / unitsPerGpu,
        `is too little: the accounts below it are guaranteed ${below / unitsPerGpu} GPUs more`,
        "lower theirs first, or set overcommit: true",
      );
    }
  }
  return undefined;
}
