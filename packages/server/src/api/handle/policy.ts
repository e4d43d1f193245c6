import {
  durationText,
  graceMaxOf,
  isRefusal,
  mostOf,
  movesPerHourPlain,
  type Numbers,
  numberBounds,
  numberNames,
  type Policy,
  parseDuration,
  parseSizes,
  type ReadonlyFleet,
  type Refusal,
  type Role,
  sessionBounds,
  usualContentLimits,
} from "@tessera/core";
import type { PolicyPut, PolicyShape } from "@tessera/wire";
import type { Seal } from "../../access/seal.ts";
import { askerOf, type Handler } from "../context.ts";
import { staleUnless } from "../request/if-match.ts";

type PolicyHandlers = {
  getPolicy: Handler<"getPolicy">;
  setPolicy: Handler<"setPolicy">;
};

export const policyHandlers: PolicyHandlers = {
  getPolicy: ({ control, seal }) => renderPolicy(seal, control.state.policy),

  async setPolicy({ control, seal }, call) {
    const stale = staleUnless(call, renderPolicy(seal, control.state.policy).revision, "policy");
    if (stale !== undefined) return stale;
    const policy = policyOf(call.body, control.state.fleet);
    if (isRefusal(policy)) return policy;
    const done = await control.ask({ kind: "policy.set", policy }, askerOf(call));
    return isRefusal(done) ? done : renderPolicy(seal, policy);
  },
};

function policyOf(body: PolicyPut, fleet: ReadonlyFleet): Policy | Refusal {
  const { snapshotFilesMax, snapshotMiBMax, contentMiBMax } = body;
  const { rebalance, minRuntime, grace, graceMax, backfill, movesPerHourMax, scrub, reshape } = body;
  const lostWorkMsMax = body.lostWork === "grace" ? undefined : offOr(body.lostWork, "lostWork");
  if (isRefusal(lostWorkMsMax)) return lostWorkMsMax;
  const checkEveryMs = offOr(body.checkEvery, "checkEvery");
  if (isRefusal(checkEveryMs)) return checkEveryMs;
  const sessionIdleMs = body.sessionIdle === undefined ? undefined : parseDuration(body.sessionIdle, "sessionIdle");
  if (isRefusal(sessionIdleMs)) return sessionIdleMs;
  const sessionLifeMs = body.sessionLife === undefined ? undefined : parseDuration(body.sessionLife, "sessionLife");
  if (isRefusal(sessionLifeMs)) return sessionLifeMs;
  const tokenLifeMsMax = offOr(body.tokenLife, "tokenLife");
  if (isRefusal(tokenLifeMsMax)) return tokenLifeMsMax;
  const max = changedNumbers(body.max ?? {});
  const sizes = parseSizes(body.sizes ?? {}, fleet);
  if (isRefusal(sizes)) return sizes;
  const minRuntimeMs = parseDuration(minRuntime, "minRuntime");
  if (isRefusal(minRuntimeMs)) return minRuntimeMs;
  const graceMs = parseDuration(grace, "grace");
  if (isRefusal(graceMs)) return graceMs;
  const graceMsMax = graceMax === undefined ? undefined : parseDuration(graceMax, "graceMax");
  if (isRefusal(graceMsMax)) return graceMsMax;
  const scrubMs = offOr(scrub, "scrub");
  if (isRefusal(scrubMs)) return scrubMs;
  const reshapeMs = offOr(reshape, "reshape");
  if (isRefusal(reshapeMs)) return reshapeMs;
  return {
    rebalance,
    minRuntimeMs,
    graceMs,
    ...(graceMsMax !== undefined && { graceMsMax }),
    backfill,
    ...(movesPerHourMax !== undefined && { movesPerHourMax }),
    ...(scrubMs !== undefined && { scrubMs }),
    ...(reshapeMs !== undefined && { reshapeMs }),
    ...(snapshotFilesMax !== undefined && { snapshotFilesMax }),
    ...(snapshotMiBMax !== undefined && { snapshotMiBMax }),
    ...(contentMiBMax !== undefined && { contentMiBMax }),
    ...(lostWorkMsMax !== undefined && { lostWorkMsMax }),
    ...(body.acceptance === "on" && { acceptance: true as const }),
    ...(checkEveryMs !== undefined && { checkEveryMs }),
    ...(body.factorRoles !== undefined && { factorRoles: [...new Set(body.factorRoles as Role[])].sort() }),
    ...(sessionIdleMs !== undefined && sessionIdleMs !== sessionBounds.idle.plainMs && { sessionIdleMs }),
    ...(sessionLifeMs !== undefined && sessionLifeMs !== sessionBounds.life.plainMs && { sessionLifeMs }),
    ...(body.passwords === "off" && { passwordsOff: true as const }),
    ...(tokenLifeMsMax !== undefined && { tokenLifeMsMax }),
    ...(Object.keys(max).length > 0 && { max }),
    ...(Object.keys(sizes).length > 0 && { sizes }),
  };
}

/** The numbers that are not plain: a plain one may become another with a later version. */
function changedNumbers(given: Partial<Numbers>): Partial<Numbers> {
  const changed = numberNames.filter((name) => (given[name] ?? numberBounds[name].plain) !== numberBounds[name].plain);
  return Object.fromEntries(changed.map((name) => [name, given[name]]));
}

function offOr(text: string | undefined, field: string): number | undefined | Refusal {
  return text === undefined || text === "off" ? undefined : parseDuration(text, field);
}

/** A policy has no number of its own: equal ones have equal revisions. */
function renderPolicy(seal: Seal, policy: Policy): PolicyShape {
  const { rebalance, minRuntimeMs, graceMs, backfill, movesPerHourMax = movesPerHourPlain } = policy;
  const [minRuntime, grace] = [durationText(minRuntimeMs), durationText(graceMs)];
  const graceMax = durationText(graceMaxOf(policy));
  const orOff = (ms: number | undefined) => (ms === undefined ? "off" : durationText(ms));
  const [scrub, reshape] = [orOff(policy.scrubMs), orOff(policy.reshapeMs)];
  const asks = Object.entries(policy.sizes ?? {}).map(([name, { ask }]) => [name, ask]);
  const sizes = Object.fromEntries(asks) as { [name: string]: string };
  const shown = {
    rebalance,
    minRuntime,
    grace,
    graceMax,
    backfill,
    movesPerHourMax,
    scrub,
    reshape,
    snapshotFilesMax: policy.snapshotFilesMax ?? usualContentLimits.snapshotFilesMax,
    snapshotMiBMax: policy.snapshotMiBMax ?? usualContentLimits.snapshotMiBMax,
    contentMiBMax: policy.contentMiBMax ?? usualContentLimits.contentMiBMax,
    lostWork: policy.lostWorkMsMax === undefined ? ("grace" as const) : durationText(policy.lostWorkMsMax),
    acceptance: policy.acceptance ? ("on" as const) : ("off" as const),
    checkEvery: orOff(policy.checkEveryMs),
    ...(policy.factorRoles !== undefined && { factorRoles: [...policy.factorRoles] }),
    sessionIdle: durationText(policy.sessionIdleMs ?? sessionBounds.idle.plainMs),
    sessionLife: durationText(policy.sessionLifeMs ?? sessionBounds.life.plainMs),
    passwords: policy.passwordsOff ? ("off" as const) : ("on" as const),
    tokenLife: orOff(policy.tokenLifeMsMax),
    max: Object.fromEntries(numberNames.map((name) => [name, mostOf(policy, name)])),
    ...(asks.length > 0 && { sizes }),
  };
  return { ...shown, revision: seal.tag(`policy ${JSON.stringify(shown)}`, 0) };
}
