import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Quota } from "../model/account.ts";
import type { Policy } from "../model/policy.ts";
import { findSize } from "../model/size.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";

/** Replaces the owner's policy. */
export function setPolicy(state: State, policy: Policy, now: Instant): Decision {
  return sizeInUse(state, policy) ?? { events: [{ kind: "policy-set", v: 1, at: now, policy }] };
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
