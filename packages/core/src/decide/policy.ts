import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Quota } from "../model/account.ts";
import { durationText } from "../model/duration.ts";
import { numberBounds, numberNames } from "../model/numbers.ts";
import {
  checkEveryBounds,
  graceMaxBounds,
  graceMaxOf,
  type Policy,
  sessionBounds,
  tokenLifeBounds,
} from "../model/policy.ts";
import { findSize } from "../model/size.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";

/** Replaces the owner's policy. */
export function setPolicy(state: State, policy: Policy, now: Instant): Decision {
  const refused =
    sizeInUse(state, policy) ??
    wrongGrace(policy) ??
    wrongNumber(policy) ??
    wrongChecks(policy) ??
    wrongSessions(policy) ??
    wrongTokenLife(policy);
  return refused ?? { events: [{ kind: "policy-set", v: 1, at: now, policy }] };
}

function wrongGrace(policy: Policy): Refusal | undefined {
  const most = graceMaxOf(policy);
  const { leastMs, mostMs } = graceMaxBounds;
  if (most < leastMs || most > mostMs) {
    const range = `${durationText(leastMs)} to ${durationText(mostMs)}`;
    return refuse("invalid", "graceMax", durationText(most), `is not in the range ${range}`, "such as 15m");
  }
  if (policy.graceMs <= most) return undefined;
  const why = `is longer than graceMax: ${durationText(most)}`;
  return refuse("invalid", "grace", durationText(policy.graceMs), why, "give less, or raise graceMax");
}

function wrongChecks({ checkEveryMs }: Policy): Refusal | undefined {
  const { leastMs, mostMs } = checkEveryBounds;
  if (checkEveryMs === undefined || (checkEveryMs >= leastMs && checkEveryMs <= mostMs)) return undefined;
  const range = `${durationText(leastMs)} to ${durationText(mostMs)}`;
  return refuse("invalid", "checkEvery", durationText(checkEveryMs), `is not in the range ${range}`, "such as 24h");
}

function wrongTokenLife({ tokenLifeMsMax: ms }: Policy): Refusal | undefined {
  const { leastMs, mostMs } = tokenLifeBounds;
  if (ms === undefined || (ms >= leastMs && ms <= mostMs)) return undefined;
  const range = `${durationText(leastMs)} to ${durationText(mostMs)}`;
  return refuse("invalid", "tokenLife", durationText(ms), `is not in the range ${range}`, "such as 90d, or off");
}

function wrongSessions(policy: Policy): Refusal | undefined {
  const given = { idle: policy.sessionIdleMs, life: policy.sessionLifeMs };
  const fields = { idle: "sessionIdle", life: "sessionLife" } as const;
  for (const which of ["idle", "life"] as const) {
    const { leastMs, mostMs, plainMs } = sessionBounds[which];
    const ms = given[which];
    if (ms === undefined || (ms >= leastMs && ms <= mostMs)) continue;
    const why = `is not in the range ${durationText(leastMs)} to ${durationText(mostMs)}`;
    return refuse("invalid", fields[which], durationText(ms), why, `such as ${durationText(plainMs)}`);
  }
  return undefined;
}

function wrongNumber({ max = {} }: Policy): Refusal | undefined {
  for (const name of numberNames) {
    const { least, most } = numberBounds[name];
    const value = max[name];
    if (value === undefined) continue;
    if (value < least || value > most)
      return refuse("invalid", `max.${name}`, value, `is not in the range ${least} to ${most}`, "give one inside it");
    if (!Number.isInteger(value))
      return refuse("invalid", `max.${name}`, value, "is not a whole number", `such as ${numberBounds[name].plain}`);
  }
  return undefined;
}

/** A size in which a quota is given must not change: the quota would mean another amount. */
function sizeInUse(state: State, policy: Policy): Refusal | undefined {
  for (const account of state.accounts) {
    if (account === undefined) continue;
    const quotas = [account.terms.quota, account.base?.quota, ...(account.windows ?? []).map(({ quota }) => quota)];
    for (const name of quotas.flatMap((quota) => sizesIn(quota as Partial<Quota> | undefined))) {
      const [before, after] = [findSize(state.policy.sizes, name), findSize(policy.sizes, name)];
      if (before?.units === after?.units && before?.model === after?.model) continue;
      const detail = `is the size in which ${account.path} has its quota`;
      return refuse(
        "conflict",
        `sizes.${name}`,
        after?.ask ?? null,
        detail,
        "give that quota in GPUs first, or use another name",
      );
    }
  }
  return undefined;
}

function sizesIn(quota: Partial<Quota> | undefined): string[] {
  return Object.keys({ ...quota?.guaranteeSizes, ...quota?.maxSizes });
}
