import { findNode, isRefusal } from "@tessera/core";
import type { AnswerOf, FeedEntry } from "@tessera/wire";
import { belongsTo, findJob } from "../../flow/find/find-job.ts";
import { timestamp } from "../../render/quantities.ts";
import type { AuditPlace, AuditRow } from "../../store/port.ts";
import { type Denial, notFound } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";
import { type FeedItem, renderFeedItem } from "../feed.ts";
import { closeCursor, openCursor, usualLimit } from "../request/page.ts";

/** Events, newest first: those in memory and, of a node, what was done to it before them. */
export async function listEvents(api: Api, call: Call<"listEvents">): Promise<AnswerOf<"listEvents"> | Denial> {
  const opened = openCursor(api.seal, "events", call.query.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const wanted = await feedFilter(api, call);
  if (wanted === undefined) return notFound("job");
  const limit = call.query.limit ?? usualLimit;
  const at = opened?.at as number | AuditPlace | undefined;
  const page: FeedItem[] = [];
  for (const item of typeof at === "object" ? [] : api.feed.newest(at)) {
    if (!wanted(item)) continue;
    if (page.length === limit) {
      return { items: page.map(renderFeedItem), next: closeCursor(api.seal, "events", page.at(-1)!.place) };
    }
    page.push(item);
  }
  const before = typeof at === "object" ? at : undefined;
  const { entries, last } = await nodePast(api, call, before, limit - page.length);
  return {
    items: [...page.map(renderFeedItem), ...entries],
    ...(last && { next: closeCursor(api.seal, "events", { seq: last.seq, index: last.index }) }),
  };
}

const doneWords: Readonly<Record<string, string>> = {
  "node.cordon": "was cordoned",
  "node.drain": "is drained",
  "node.down": "was declared lost",
  "node.up": "takes work again",
  "node.maintenance": "maintenance was planned",
  "node.finding": "finding",
  "node.checked": "was checked",
};
/** Records that are read at once: next to none is passed over. */
const rowsPerRead = 200;

/** What was done to a node before the events that are in memory, from the audit, which is kept. */
async function nodePast(
  { control, feed }: Api,
  { query }: Call<"listEvents">,
  before: AuditPlace | undefined,
  wanted: number,
): Promise<{ readonly entries: FeedEntry[]; readonly last?: AuditPlace }> {
  const { subject, kind, text, account } = query;
  if (subject === undefined || (kind ?? text ?? account) !== undefined || feed.fleetSince === 0 || wanted === 0)
    return { entries: [] };
  if (isRefusal(findNode(control.state.fleet, subject))) return { entries: [] };
  const rows = await control.reader.audit({
    ...{ accounts: [], target: subject, outcome: "ok", toAt: feed.fleetSince, limit: rowsPerRead },
    ...(before && { before }),
  });
  const past = rows.filter(({ action }) => action in doneWords);
  const page = past.slice(0, wanted);
  const last = past.length > wanted ? page.at(-1) : rows.length === rowsPerRead ? rows.at(-1) : undefined;
  return { entries: page.map(entryOf), ...(last && { last }) };
}

function entryOf({ at, action, target, detail }: AuditRow): FeedEntry {
  const done = doneWords[action]!;
  const words = detail === "" ? done : `${done}: ${detail}`;
  return { at: timestamp(at), kind: action, subject: target, account: "", text: words };
}

/** What a caller may see of the feed, cut to what was asked for; undefined when the job asked for is not there. */
export async function feedFilter(
  api: Api,
  { principal, target, query }: Pick<Call<"listEvents">, "principal" | "target" | "query">,
): Promise<((item: FeedItem) => boolean) | undefined> {
  const paths = target.map((account) => account.path);
  const everything = paths.includes("");
  const fleetToo = query.account === undefined;
  const text = query.text?.trim().toLowerCase() ?? "";
  const kinds = query.kind === undefined ? undefined : new Set(query.kind.split(","));
  const fits = (item: FeedItem) =>
    (query.subject === undefined || item.subject === query.subject) &&
    (kinds === undefined || kinds.has(item.event.kind)) &&
    (text === "" || `${item.subject} ${renderFeedItem(item).text}`.toLowerCase().includes(text));
  const mayBeSeen = ({ account, event }: FeedItem) =>
    everything || (account === "" ? fleetToo : belongsTo(api.control.state, target, account, toldOf(event)));
  const seen = (item: FeedItem) => mayBeSeen(item) && fits(item);
  if (query.job === undefined) return seen;
  const found = await findJob(api, principal.user, query.job);
  if (found === undefined) return undefined;
  const ids: readonly string[] =
    "several" in found ? found.several.map((job) => job.id) : ["live" in found ? found.live.id : found.ended.id];
  const isAbout = (subject: string) => ids.some((id) => subject === id || subject.startsWith(`${id}.`));
  return (item) => isAbout(item.subject) && seen(item);
}

/** The instant that an event is about: an invoice may be issued when another tenant has the name already. */
function toldOf(event: FeedItem["event"]): number {
  return event.kind === "invoice-issued" ? event.period.toAt - 1 : event.at;
}
