import type { Command } from "../journal/command.ts";
import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import { trusts } from "../model/account.ts";
import { poolModes } from "../model/part.ts";
import { type PoolTerms, ratioMax } from "../model/pool.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { checkLabels, sortedLabels } from "../submit/narrow.ts";

const poolsMax = 256;
const tenantsMax = 256;
const perMilleMax = 100_000;
const poolName = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** Pools: nodes by label, with the tenants that may use them and their price. What runs there is left alone. */
export function changePools(
  state: State,
  command: Extract<Command, { kind: `pool.${string}` }>,
  now: Instant,
): Decision {
  const { name } = command;
  const known = state.pools.get(name);
  if (command.kind === "pool.create") {
    if (!poolName.test(name)) return badName(name);
    if (known !== undefined)
      return refuse(
        "already-exists",
        "name",
        name,
        "exists already",
        `edit it (tess pool edit ${name}), or choose another name`,
      );
    if (state.pools.size >= poolsMax)
      return refuse("conflict", "name", name, `would be one pool more than ${poolsMax}`, "delete one that is not used");
  } else if (known === undefined) {
    return refuse("not-found", "pool", name, "does not exist", "see: tess pool get");
  }
  const head = { kind: "pool-changed", v: 1, at: now, pool: name } as const;
  if (command.kind === "pool.delete") return { events: [head] };
  const wrong = checkPool(state, command.terms);
  if (wrong !== undefined) return wrong;
  return { events: [{ ...head, terms: inOrder(command.terms) }], result: name };
}

function badName(name: string): Refusal {
  const why = "is not a name for a pool";
  return refuse("invalid", "name", name, why, "write at most 40 letters a-z, digits and -, such as gold");
}

function checkPool(state: State, terms: PoolTerms): Refusal | undefined {
  const { labels, tenants, perMille } = terms;
  const mistakes: (Refusal | undefined)[] = [checkLabels(labels, "labels")];
  if (Object.keys(labels).length === 0)
    mistakes.push(refuse("invalid", "labels", null, "is empty", "say which nodes it has, such as tier=gold"));
  if (tenants?.length === 0)
    mistakes.push(
      refuse(
        "invalid",
        "tenants",
        null,
        "is empty, so no job could use the pool",
        "name accounts, or leave it out for all",
      ),
    );
  if (tenants !== undefined && tenants.length > tenantsMax) {
    const why = `is more than ${tenantsMax} accounts`;
    mistakes.push(refuse("invalid", "tenants", tenants.length, why, "name an account above them"));
  }
  for (const [i, path] of (tenants ?? []).entries())
    if (path === "" || !state.accountByPath.has(path))
      mistakes.push(refuse("invalid", `tenants[${i}]`, path, "is not an account", "see: tess account tree"));
  if (!Number.isInteger(perMille) || perMille < 1 || perMille > perMilleMax) {
    const why = "is not in the range 1 to 100000";
    mistakes.push(refuse("invalid", "perMille", perMille, why, "write 1500 for one and a half times the price"));
  }
  mistakes.push(...checkSharing(terms));
  return refuseAll(mistakes.filter((mistake) => mistake !== undefined));
}

function* checkSharing({ mode, ratio, trust }: PoolTerms): Iterable<Refusal> {
  if (mode !== undefined && !poolModes.includes(mode))
    yield refuse("invalid", "mode", mode, "is not a way to share GPUs", `write one of ${poolModes.join(", ")}`);
  if (ratio !== undefined && (!Number.isInteger(ratio) || ratio < 1 || ratio > ratioMax)) {
    const why = `is not in the range 1 to ${ratioMax}`;
    yield refuse("invalid", "ratio", ratio, why, "write 2 to give out time slices of twice a GPU");
  } else if (ratio !== undefined && ratio > 1 && mode !== "timeslice" && mode !== "any") {
    const why = "needs a pool that shares GPUs by time slices: nothing else can be given out more than once";
    yield refuse("invalid", "ratio", ratio, why, "set mode to timeslice, or ratio to 1");
  }
  if (trust !== undefined && !trusts.includes(trust))
    yield refuse("invalid", "trust", trust, "is not a trust level", `write one of ${trusts.join(", ")}`);
  else if (trust !== undefined && mode === "whole") {
    const why = "says whose parts of GPUs come here, and a pool of whole GPUs has no parts";
    yield refuse("invalid", "trust", trust, why, "leave trust out, or name tenants");
  }
}

/** As the journal writes them: labels by key, each account once, and nothing that changes nothing. */
function inOrder({ labels, tenants, perMille, mode, ratio = 1, trust }: PoolTerms): PoolTerms {
  return {
    labels: sortedLabels(labels) ?? {},
    perMille,
    ...(tenants !== undefined && { tenants: [...new Set(tenants)].sort() }),
    ...(mode !== undefined && { mode }),
    ...(ratio !== 1 && { ratio }),
    ...(trust !== undefined && { trust }),
  };
}
