import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Account, AccountTerms, GpuAmounts } from "../model/account.ts";
import { rootAccount } from "../model/ids.ts";
import { unitsPerGpu } from "../model/units.ts";
import { accountOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";

function totalOf(amounts: GpuAmounts): number {
  let total = 0;
  for (const key in amounts) total += amounts[key]!;
  return total;
}

function add(into: Record<string, number>, amounts: GpuAmounts): void {
  for (const key in amounts) into[key] = (into[key] ?? 0) + amounts[key]!;
}

/**
 * How far guarantees `below` exceed what `above` holds, in units. A model that lacks may come out of `*`, and what is
 * asked for as `*` may be served by any model that is left over.
 */
export function exceeds(below: GpuAmounts, above: GpuAmounts): number {
  let lacking = 0;
  let spare = 0;
  for (const key in below) if (key !== "*") lacking += Math.max(0, below[key]! - (above[key] ?? 0));
  for (const key in above) if (key !== "*") spare += Math.max(0, above[key]! - (below[key] ?? 0));
  const any = above["*"] ?? 0;
  return Math.max(0, lacking - any, lacking + (below["*"] ?? 0) - any - spare);
}

/** What all guarantees directly below an account add up to, with one of them replaced or added. */
export function guaranteedBelow(state: State, parent: Account, but?: Account, terms?: AccountTerms): GpuAmounts {
  const sum: Record<string, number> = {};
  for (const child of parent.children) {
    if (child !== but?.no) add(sum, promisedTo(accountOf(state, child)));
  }
  if (terms !== undefined) add(sum, terms.quota.guarantee);
  return sum;
}

/** What an account holds or will hold again: a window must not give away what comes back when it ends. */
function promisedTo({ terms, base }: Account): GpuAmounts {
  if (base === undefined) return terms.quota.guarantee;
  const most: Record<string, number> = { ...base.quota.guarantee };
  for (const [model, units] of Object.entries(terms.quota.guarantee)) most[model] = Math.max(most[model] ?? 0, units);
  return most;
}

/** The fleet as a quota, for the sum over tenants. */
export function fleetAmounts(state: State): GpuAmounts {
  const sum: Record<string, number> = {};
  const { fleet } = state;
  for (let gpu = 0; gpu < fleet.gpus; gpu++) {
    const model = fleet.models[fleet.gpuModel[gpu]!]!;
    sum[model] = (sum[model] ?? 0) + fleet.gpuCapacity[gpu]!;
  }
  return sum;
}

/** Whether the guarantees below really exceed what is there; shown wherever the account is. */
export function overcommitted(state: State, account: Account): boolean {
  const above =
    account.no === rootAccount ? familyAmounts(state, guaranteedBelow(state, account)) : account.terms.quota.guarantee;
  return exceeds(guaranteedBelow(state, account), above) > 0;
}

/** The fleet, with variants counted under the family name that a guarantee uses (`H100-80GB` under `H100`). */
function familyAmounts(state: State, names: GpuAmounts): GpuAmounts {
  const sum: Record<string, number> = {};
  for (const [model, units] of Object.entries(fleetAmounts(state))) {
    const family = Object.keys(names).find((name) => model === name || model.startsWith(`${name}-`)) ?? model;
    sum[family] = (sum[family] ?? 0) + units;
  }
  return sum;
}

/** The rules of a quota tree: guarantees nest, ceilings are not below guarantees, trust is a matter of tenants. */
export function checkTerms(
  state: State,
  parent: Account,
  self: Account | undefined,
  terms: AccountTerms,
  lasts: "for-good" | "for-a-time" = "for-good",
): Refusal | undefined {
  const { quota } = terms;
  // What is given for good must not stand on what the account above has only for a time.
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
