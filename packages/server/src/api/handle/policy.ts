import { isRefusal, movesPerHourPlain, type Policy, parseDuration, type Refusal } from "@tessera/core";
import type { PolicyPut, PolicyShape } from "@tessera/wire";
import type { Seal } from "../../access/seal.ts";
import { askerOf, type Handler } from "../context.ts";
import { staleUnless } from "../if-match.ts";
import { durationText } from "../quantities.ts";

type PolicyHandlers = {
  getPolicy: Handler<"getPolicy">;
  setPolicy: Handler<"setPolicy">;
};

export const policyHandlers: PolicyHandlers = {
  getPolicy: ({ control, seal }) => renderPolicy(seal, control.state.policy),

  async setPolicy({ control, seal }, call) {
    const stale = staleUnless(call.ifMatch, renderPolicy(seal, control.state.policy).revision, "policy");
    if (stale !== undefined) return stale;
    const policy = policyOf(call.body);
    if (isRefusal(policy)) return policy;
    const done = await control.ask({ kind: "policy.set", policy }, askerOf(call));
    return isRefusal(done) ? done : renderPolicy(seal, policy);
  },
};

function policyOf({ rebalance, minRuntime, grace, backfill, movesPerHourMax }: PolicyPut): Policy | Refusal {
  const minRuntimeMs = parseDuration(minRuntime, "minRuntime");
  if (isRefusal(minRuntimeMs)) return minRuntimeMs;
  const graceMs = parseDuration(grace, "grace");
  if (isRefusal(graceMs)) return graceMs;
  return { rebalance, minRuntimeMs, graceMs, backfill, ...(movesPerHourMax !== undefined && { movesPerHourMax }) };
}

/** A policy has no number of its own: equal ones have equal revisions. */
function renderPolicy(seal: Seal, policy: Policy): PolicyShape {
  const { rebalance, minRuntimeMs, graceMs, backfill, movesPerHourMax = movesPerHourPlain } = policy;
  const [minRuntime, grace] = [durationText(minRuntimeMs), durationText(graceMs)];
  const shown = { rebalance, minRuntime, grace, backfill, movesPerHourMax };
  return { ...shown, revision: seal.tag(`policy ${JSON.stringify(shown)}`, 0) };
}
