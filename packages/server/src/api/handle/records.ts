import { isRefusal, type JobId, rootAccount, type UserId } from "@tessera/core";
import type { UsageEvent } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import { belongsTo } from "../../flow/find/find-job.ts";
import { openStretches, reportSpan, usageReport } from "../../flow/meter/usage.ts";
import { type PlacedUsage, type UsagePlace, usageAfter, usageEvent } from "../../flow/meter/usage-events.ts";
import type { AuditQuery } from "../../store/port.ts";
import type { Api, Handler } from "../context.ts";
import { listEvents } from "../list/events.ts";
import { closeCursor, openCursor, usualLimit } from "../request/page.ts";
import { auditEntry, auditSearch, countAudit, findAudit } from "./audit-search.ts";

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
    const { by = "account", job, limit } = query;
    const ask = { by, ...span, accounts, fleet, belongs, job, limit };
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
    if (query.id !== undefined) return { items: await auditEntry(api, search, query.id) };
    const before = opened?.at as AuditQuery["before"];
    const { items, last } = await findAudit(api, search, before, query.limit ?? usualLimit);
    const isWhole = before === undefined && last === undefined;
    const total = query.count ? (isWhole ? items.length : await countAudit(api, search)) : undefined;
    return {
      items,
      ...(last && { next: closeCursor(api.seal, "audit", { seq: last.seq, index: last.index }) }),
      ...(total !== undefined && { total }),
    };
  },

  listEvents,
};

/** A stretch as a CloudEvent with the cursor that leads on from it. */
export function showUsageEvent({ seal }: Api, usage: PlacedUsage): UsageEvent {
  return usageEvent(usage, (place) => closeCursor(seal, "usage", place));
}
