import {
  freeGpus,
  isInside,
  isRefusal,
  type JobId,
  type JobSpec,
  rootAccount,
  type UserId,
  unfitShapes,
} from "@tessera/core";
import type { WasteReport } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import { belongsTo } from "../../flow/find/find-job.ts";
import { type ActivityBetween, activityBetween } from "../../flow/meter/activity.ts";
import { openStretches, reportSpan } from "../../flow/meter/usage.ts";
import { wasteReport } from "../../flow/meter/waste.ts";
import { renderReason } from "../../render/job.ts";
import { gpusOf } from "../../render/quantities.ts";
import { renderSpec } from "../../render/spec.ts";
import { isDenied } from "../answer/problem.ts";
import { fromSamples } from "../answer/samples.ts";
import type { Api, Call, Handler } from "../context.ts";

type WasteHandlers = { readWaste: Handler<"readWaste"> };

export const wasteHandlers: WasteHandlers = {
  async readWaste(api, call) {
    const { state, reader } = api.control;
    const { principal, target, query } = call;
    const span = reportSpan(query.from ?? "7d", query.to, api.control.now(), state.policy);
    if (isRefusal(span)) return span;
    const accounts = target.map((account) => account.path);
    // Beside a cut of the accounts the fleet would not add up.
    const fleet = accounts.includes("") && may(state, principal.user, "usage.read", rootAccount);
    const open = openStretches(state, api.feed.seq, span.to);
    const belongs = (path: string, then: number) => belongsTo(state, target, path, then);
    const ask = { by: query.by ?? "account", ...span, accounts, fleet, belongs };
    // Without samples nothing was measured, which is not idleness [S35].
    const activity: ActivityBetween = async (from, to) =>
      api.telemetry === undefined ? new Map() : activityBetween(api.telemetry, from, to);
    const names = {
      ofUser: (id: string) => api.people.nameOf(id as UserId),
      ofLiveJob: (id: string) => state.jobById.get(id as JobId)?.spec.name,
    };
    const told = await fromSamples(() => wasteReport(reader, state, open, ask, activity, names), query.from);
    if (isDenied(told)) return told;
    return { ...told, ...(fleet && { free: freeNow(api) }), unfit: unfitNow(api, call) };
  },
};

function freeNow({ control: { state } }: Api): WasteReport["free"] {
  return freeGpus(state).map(({ model, units, gpus, nodes }) => ({
    model,
    gpus: gpusOf(units),
    whole: gpus,
    nodes: Object.fromEntries([...nodes].map(([size, count]) => [String(size), count])),
  }));
}

/** Of the jobs that the caller may see. */
function unfitNow({ control }: Api, { principal, target }: Call<"readWaste">): WasteReport["unfit"] {
  const { state } = control;
  const seen = [...state.jobs.values()].filter(
    ({ account }) =>
      target.some(({ no }) => isInside(state, account, no)) && may(state, principal.user, "job.read", account),
  );
  return unfitShapes(state, seen, control.now()).map(({ job, jobs, reason }) => ({
    shape: shapeText(job.spec),
    jobs,
    reason: renderReason(reason).detail,
  }));
}

function shapeText(spec: JobSpec): string {
  const { gpus, members = 1, nodes = 1 } = renderSpec(spec);
  const each = Array.isArray(gpus) ? gpus.join(" or ") : String(gpus ?? "part");
  if (nodes !== 1) return `${each} on each of ${nodes} nodes`;
  return members === 1 ? each : `${each} × ${members}`;
}
