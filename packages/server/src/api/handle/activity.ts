import { isRefusal, type JobId, rootAccount } from "@tessera/core";
import { busyReport } from "../../flow/activity/busy.ts";
import { activityOfFleet, activityOfHoldings } from "../../flow/activity/fleet-activity.ts";
import { topOf } from "../../flow/activity/top.ts";
import { unleasedRows } from "../../flow/activity/unleased.ts";
import { reportSpan } from "../../flow/meter/usage.ts";
import { timestamp } from "../../render/quantities.ts";
import { fromSamples } from "../answer/samples.ts";
import type { Handler } from "../context.ts";
import { usualLimit } from "../request/page.ts";

type ActivityHandlers = {
  readFleetActivity: Handler<"readFleetActivity">;
  readTop: Handler<"readTop">;
  readBusy: Handler<"readBusy">;
};

export const activityHandlers: ActivityHandlers = {
  readFleetActivity({ activity, control }, { target, query: { metric = "activity" } }) {
    const { state } = control;
    const told = target.some(({ no }) => no === rootAccount)
      ? activityOfFleet(state, activity.rows(), metric)
      : activityOfHoldings(state, activity.holdings(target), metric);
    return { at: timestamp(control.now()), ...told };
  },

  readTop({ activity, control, people }, { target, query }) {
    const { by = "job", sort: order = "gpus", limit = usualLimit } = query;
    // What runs without a lease belongs to no account: it is told where everything may be seen.
    const unleased = target.some(({ no }) => no === rootAccount) ? unleasedRows(activity.rows()) : [];
    const ask = { by, order, limit, now: control.now() };
    return topOf(activity.holdings(target), unleased, ask, (id) => people.nameOf(id));
  },

  readBusy({ telemetry, control, people }, { target, query }) {
    const { state } = control;
    const span = reportSpan(query.from, query.to, control.now(), state.policy);
    if (isRefusal(span)) return span;
    const { by = "account", job } = query;
    const ask = { by, ...span, accounts: target, ...(job !== undefined && { job: job as JobId }) };
    return fromSamples(() => busyReport(telemetry, state, ask, (id) => people.nameOf(id)), query.from);
  },
};
