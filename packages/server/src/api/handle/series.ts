import {
  type Account,
  type AccountId,
  findNode,
  isInside,
  isRefusal,
  type JobId,
  nodeKey,
  nodeName,
  rootAccount,
  type UserId,
} from "@tessera/core";
import type { SeriesAnswer, TelemetryFilter } from "@tessera/telemetry";
import { isJournalMetric, type MeasuredGroup, measuredGroups, seriesMetrics } from "@tessera/wire";
import { findJob } from "../../flow/find/find-job.ts";
import { linesMax, seriesSpan } from "../../flow/telemetry/series.ts";
import { type Denial, deny, isDenied, notFound } from "../answer/problem.ts";
import { fromSamples } from "../answer/samples.ts";
import type { Api, Call, Handler } from "../context.ts";
import { readJournalSeries } from "./journal-series.ts";
import { readSpendSeries } from "./spend-series.ts";

/** More would make an answer of over a megabyte. */
const valuesMax = 100_000;

type SeriesHandlers = { readSeries: Handler<"readSeries"> };

export const seriesHandlers: SeriesHandlers = {
  async readSeries(api, call) {
    const { metric = "activity", by = "none", from, to, step, level } = call.query;
    if (level !== undefined && (metric !== "largest_gang" || by === "level"))
      return deny("invalid", `does not narrow ${metric} by ${by}`, "leave it out", "level", level);
    if (metric === "spend") return readSpendSeries(api, call, by);
    const span = seriesSpan({ from, to, step }, api.control.now());
    if (isRefusal(span)) return span;
    if (isJournalMetric(metric)) return readJournalSeries(api, call, { metric, by, ...span });
    const group = measuredGroups.find((each) => each === by);
    if (group === undefined)
      return deny("invalid", `does not split ${metric}`, `give one of ${measuredGroups.join(", ")}`, "by", by);
    const filter = await filterOf(api, call);
    if (isDenied(filter)) return filter;
    const { lines: most = linesMax } = call.query;
    const values = most * Math.ceil((span.to - span.from) / span.stepMs);
    if (most > linesMax && values > valuesMax)
      return deny("not-allowed", `makes ${values} values (limit ${valuesMax})`, "give a longer step", "lines", most);
    const query = { metric, by: group, ...span, filter, linesMax: most };
    const nothing: SeriesAnswer = { stepMs: span.stepMs, times: [], lines: [], leftOut: 0 };
    const found = await fromSamples(async () => (await api.telemetry?.series(query)) ?? nothing, from);
    if (isDenied(found)) return found;
    const { stepMs, times, lines, leftOut } = found;
    const series = [];
    for (const line of lines)
      series.push({ ...line, values: [...line.values], label: await labelOf(api, group, line.key) });
    const asked = { metric, unit: seriesMetrics[metric], by, from: span.from, to: span.to };
    return { ...asked, stepMs, times: [...times], series, leftOut };
  },
};

/** What the caller may see, cut to what was asked for. */
async function filterOf(api: Api, call: Call<"readSeries">): Promise<TelemetryFilter | Denial> {
  const { state } = api.control;
  const { query, target, principal } = call;
  const node = query.node === undefined ? undefined : findNode(state.fleet, query.node);
  if (isRefusal(node)) return node.refused === "not-found" ? notFound("node", query.node) : node;
  const accounts = accountsAt(api, target);
  const common = {
    ...(accounts !== undefined && { accounts }),
    ...(node !== undefined && { node: nodeKey(node.facts) }),
    ...(query.gpu !== undefined && { gpu: query.gpu }),
  };
  if (query.job === undefined) return common;
  const found = await findJob(api, principal.user, query.job);
  if (found === undefined) return notFound("job", query.job, "See: tess ps --all");
  if ("several" in found)
    return deny("ambiguous", "is the name of several live jobs", "name one of them by its id", "job", query.job);
  const { id } = "live" in found ? found.live : found.ended;
  const job = id as JobId;
  if (accounts?.has(found.account.id) === false) return { ...common, job, accounts: new Set() };
  // What an account that is gone has left belongs to the nearest one above, and its samples lie under its own id.
  const isOfFormer = "ended" in found && found.ended.account !== found.account.path;
  const { accounts: _, ...wide } = common;
  return isOfFormer ? { ...wide, job } : { ...common, job, accounts: new Set([found.account.id]) };
}

/** These accounts and all below them; undefined = all that there are and were, and what no lease held. */
function accountsAt({ control: { state } }: Api, roots: readonly Account[]): Set<AccountId> | undefined {
  if (roots.some(({ no }) => no === rootAccount)) return undefined;
  const within = state.accounts.filter(
    (account) => account !== undefined && roots.some(({ no }) => isInside(state, account.no, no)),
  );
  return new Set(within.flatMap((account) => account?.id ?? []));
}

async function labelOf({ control, people }: Api, by: MeasuredGroup, key: string): Promise<string> {
  const { state, reader } = control;
  switch (by) {
    case "none":
      return "all";
    case "account":
      return key === "" ? "no lease" : (state.accountById.get(key as AccountId)?.path ?? `former account ${key}`);
    case "user":
      return key === "" ? "no lease" : people.nameOf(key as UserId) || key;
    case "job":
      return state.jobById.get(key as JobId)?.spec.name ?? (await reader.job(key))?.name ?? key;
    case "rank":
      return `rank ${key}`;
    case "node": {
      const node = state.fleet.nodeByName.get(key);
      return node === undefined ? key : nodeName(state.fleet, node);
    }
    case "gpu":
    case "model":
      return key;
  }
}
