import { isRefusal, type JobId, rootAccount, type UserId } from "@tessera/core";
import type { UsageEvent } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import { belongsTo, findJob } from "../../flow/find/find-job.ts";
import { openStretches, reportSpan, usageReport } from "../../flow/meter/usage.ts";
import { type PlacedUsage, type UsagePlace, usageAfter, usageEvent } from "../../flow/meter/usage-events.ts";
import type { AuditQuery } from "../../store/port.ts";
import { notFound } from "../answer/problem.ts";
import type { Api, Call, Handler } from "../context.ts";
import { type FeedItem, renderFeedItem } from "../feed.ts";
import { closeCursor, openCursor, usualLimit } from "../request/page.ts";
import { auditSearch, findAudit } from "./audit-search.ts";

type RecordHandlers = {
  readUsage: Handler<"readUsage">;
  listUsageEvents: Handler<"listUsageEvents">;
  listAudit: Handler<"listAudit">;
  listEvents: Handler<"listEvents">;
};

export const recordHandlers: RecordHandlers = {
  readUsage(api, { principal, target, query }) {
    const { state, reader } = api.control;
    const span = reportSpan(query.from, query.to, api.control.now(), api.control.state.policy);
    if (isRefusal(span)) return span;
    const accounts = target.map((account) => account.path);
    const fleet = may(state, principal.user, "usage.read", rootAccount);
    const open = openStretches(state, api.feed.seq, span.to);
    const belongs = (path: string, then: number) => belongsTo(state, target, path, then);
    const ask = { by: query.by ?? "account", ...span, accounts, fleet, belongs };
    const nameOfJob = (id: string) => state.jobById.get(id as JobId)?.spec.name;
    return usageReport(reader, open, ask, (id) => api.people.nameOf(id as UserId), nameOfJob);
  },

  async listUsageEvents(api, { target, query }) {
    const opened = openCursor(api.seal, "usage", query.cursor);
    if (opened !== undefined && "refused" in opened) return opened;
    const from = opened?.at as UsagePlace | undefined;
    const { found, more } = await usageAfter(api.control, target, from, query.limit ?? usualLimit);
    const items = found.map((each) => showUsageEvent(api, each));
    return { items, ...(more && { next: items.at(-1)!.cursor }) };
  },

  async listAudit(api, { target, query }) {
    const opened = openCursor(api.seal, "audit", query.cursor);
    if (opened !== undefined && "refused" in opened) return opened;
    const search = await auditSearch(api, target, query);
    if (isRefusal(search)) return search;
    const before = opened?.at as AuditQuery["before"];
    const { items, last } = await findAudit(api, search, before, query.limit ?? usualLimit);
    return { items, ...(last && { next: closeCursor(api.seal, "audit", { seq: last.seq, index: last.index }) }) };
  },

  async listEvents(api, call) {
    const opened = openCursor(api.seal, "events", call.query.cursor);
    if (opened !== undefined && "refused" in opened) return opened;
    const wanted = await feedFilter(api, call);
    if (wanted === undefined) return notFound("job");
    const limit = call.query.limit ?? usualLimit;
    const page: FeedItem[] = [];
    for (const item of api.feed.newest(opened?.at as number | undefined)) {
      if (!wanted(item)) continue;
      if (page.length === limit) {
        return { items: page.map(renderFeedItem), next: closeCursor(api.seal, "events", page.at(-1)!.place) };
      }
      page.push(item);
    }
    return { items: page.map(renderFeedItem) };
  },
};

/** A stretch as a CloudEvent with the cursor that leads on from it. */
export function showUsageEvent({ seal }: Api, usage: PlacedUsage): UsageEvent {
  return usageEvent(usage, (place) => closeCursor(seal, "usage", place));
}

/** What a caller may see of the feed, cut to what was asked for; undefined when the job asked for is not there. */
export async function feedFilter(
  api: Api,
  { principal, target, query }: Pick<Call<"listEvents">, "principal" | "target" | "query">,
): Promise<((item: FeedItem) => boolean) | undefined> {
  const paths = target.map((account) => account.path);
  const everything = paths.includes("");
  const fleetToo = query.account === undefined;
  const seen = ({ account, event }: FeedItem) =>
    everything || (account === "" ? fleetToo : belongsTo(api.control.state, target, account, event.at));
  if (query.job === undefined) return seen;
  const found = await findJob(api, principal.user, query.job);
  if (found === undefined) return undefined;
  const ids: readonly string[] =
    "several" in found ? found.several.map((job) => job.id) : ["live" in found ? found.live.id : found.ended.id];
  const isAbout = (subject: string) => ids.some((id) => subject === id || subject.startsWith(`${id}.`));
  return (item) => isAbout(item.subject) && seen(item);
}
