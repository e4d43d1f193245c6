import { day, fleetPlan, isRefusal, minute, parseDuration, refuse } from "@tessera/core";
import { seenAt } from "../../flow/count/summary.ts";
import { aheadMsMax, planDaysMax } from "../../flow/plan/expect.ts";
import { renderPlan } from "../../render/plan.ts";
import type { Handler } from "../context.ts";

const aheadMsMin = minute;

export const planHandlers: { readPlan: Handler<"readPlan"> } = {
  async readPlan({ control }, { query, target }) {
    const { state } = control;
    const now = control.now();
    const aheadMs = query.ahead === undefined ? day : parseDuration(query.ahead, "ahead");
    if (isRefusal(aheadMs)) return aheadMs;
    if (aheadMs < aheadMsMin || aheadMs > aheadMsMax) {
      const hint = `give 1m to ${planDaysMax}d`;
      return refuse("invalid", "ahead", query.ahead ?? "", "is not a time that plans are shown for", hint);
    }
    return renderPlan(state, fleetPlan(state, now), { now, untilAt: now + aheadMs, sees: seenAt(state, target) });
  },
};
