import { type AccountNo, day, fleetPlan, isInside, isRefusal, parseDuration, refuse } from "@tessera/core";
import { aheadMsMax, planDaysMax } from "../../flow/plan/expect.ts";
import { renderPlan } from "../../render/plan.ts";
import type { Handler } from "../context.ts";

const aheadMsMin = 60_000;

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
    const known = new Map<AccountNo, boolean>();
    const sees = (account: AccountNo) => {
      let seen = known.get(account);
      if (seen === undefined) {
        seen = target.some(({ no }) => isInside(state, account, no));
        known.set(account, seen);
      }
      return seen;
    };
    const plan = fleetPlan(state, now);
    let jobs = 0;
    for (const group of state.waiting.groups) if (sees(group.account)) jobs += group.jobs.length;
    const planned = plan.planned.filter(({ job }) => sees(job.account)).length;
    return { ...renderPlan(state, plan, { now, untilAt: now + aheadMs, sees }), waiting: { jobs, planned } };
  },
};
