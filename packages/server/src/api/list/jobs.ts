import { type Job, type JobArray, Rooms, refuse } from "@tessera/core";
import type { AnswerOf } from "@tessera/wire";
import type { Principal } from "../../access/principal.ts";
import { Slices } from "../../flow/slices.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { closeCursor, listing, openCursor, pageOf, sortOf, usualLimit } from "../request/page.ts";
import {
  type JobEntry,
  type JobFilter,
  type JobPlace,
  type JobsQuery,
  liveJobs,
  matchesEnded,
  readsAll,
  wantsEnded,
} from "./job-filter.ts";
import { jobOrders } from "./job-orders.ts";
import { withOutlooks } from "./job-outlook.ts";
import { showEnded, showLive, withCost, withFailed } from "./job-show.ts";

/** The store's own order. */
function newestJobFirst(a: JobPlace, b: JobPlace): number {
  return b.submittedAt - a.submittedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** Newest first, live and ended in one order, so that a job that ends while one pages through is met once. */
export async function listJobs(
  api: Api,
  principal: Principal,
  filter: JobFilter,
  query: JobsQuery,
): Promise<JobPage | Denial> {
  const page = query.sort === undefined || query.sort === "-submitted" ? newest : sorted;
  const found = await page(api, filter, query);
  if (isDenied(found)) return found;
  const { state } = api.control;
  const [acts, rooms] = [new Acts(state, principal), new Rooms(state.fleet)];
  const plain = found.entries.map((entry) =>
    "live" in entry ? showLive(api, acts, entry.live, rooms) : showEnded(api, acts, entry.row),
  );
  const shown = await Promise.all(plain.map((job) => withFailed(api, job)));
  const priced = query.cost === true ? await Promise.all(shown.map((job) => withCost(api, job))) : shown;
  return {
    items: query.outlook === true ? await withOutlooks(api, priced) : priced,
    ...(found.next !== undefined && { next: found.next }),
    ...(found.total !== undefined && { total: found.total }),
  };
}

type JobPage = AnswerOf<"listJobs">;
interface EntryPage {
  readonly entries: readonly JobEntry[];
  readonly next?: string | undefined;
  readonly total?: number | undefined;
}

async function newest(api: Api, filter: JobFilter, query: JobsQuery): Promise<EntryPage | Denial> {
  const opened = openCursor(api.seal, "jobs", query.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const before = (opened?.at as JobPlace | undefined) ?? filter.before;
  const limit = query.limit ?? usualLimit;
  const live = newestLive(api, filter, before, limit + 1);
  const past = wantsEnded(filter) ? await endedEntries(api, filter, before, limit + 1) : nothingEnded;
  const { entries, next } = mergedPage(live.entries, past, limit);
  const whole = opened === undefined && next === undefined ? entries.length : undefined;
  return {
    entries,
    next: next && closeCursor(api.seal, "jobs", { submittedAt: next.submittedAt, id: next.id }),
    total: query.count ? (whole ?? (await countJobs(api, filter, live.all))) : undefined,
  };
}

/**
 * Live and ended jobs in one order, as far as the ended ones are known, and the place after which the next page begins.
 * Live jobs beyond that horizon come later, in their turn among the ended jobs that are not read yet.
 */
function mergedPage(
  live: readonly JobEntry[],
  { entries: ended, horizon }: Ended,
  limit: number,
): { readonly entries: readonly JobEntry[]; readonly next: JobPlace | undefined } {
  const known = horizon === undefined ? live : live.filter((entry) => newestJobFirst(entry, horizon) <= 0);
  const merged = mergeNewest(known, ended);
  const entries = merged.slice(0, limit);
  return { entries, next: merged.length > limit ? entries.at(-1) : horizon };
}

/** Jobs beyond this many are not counted. */
const countMax = 1_000_000;

/** Undefined where only reading all of the past would tell, or where there are too many. */
async function countJobs({ control: { reader } }: Api, filter: JobFilter, live: number): Promise<number | undefined> {
  if (!wantsEnded(filter)) return live;
  if (readsAll(filter) || filter.before !== undefined) return undefined;
  const ended = await reader.countJobs({ ...storeQuery(filter), limit: countMax });
  return ended === countMax ? undefined : live + ended;
}

interface Ended {
  readonly entries: readonly JobEntry[];
  /** The last row that was read, where there are more. */
  readonly horizon: JobPlace | undefined;
}

const nothingEnded: Ended = { entries: [], horizon: undefined };
/** Jobs of the past that are sorted at most: they lie in the order of their submission. */
const sortedMax = 10_000;

async function sorted(api: Api, filter: JobFilter, query: JobsQuery): Promise<EntryPage | Denial> {
  const live = liveEntries(api, filter);
  const past = wantsEnded(filter) ? await endedEntries(api, filter, filter.before, sortedMax + 1) : nothingEnded;
  if (past.horizon !== undefined || past.entries.length > sortedMax)
    return refuse(
      "invalid",
      "sort",
      query.sort!,
      `is for at most ${sortedMax} ended jobs, and more match`,
      "narrow the list (state, project, user, name), or leave sort out: newest first",
    );
  const entries = mergeNewest(live, past.entries);
  const show = (entry: JobEntry) => entry;
  const list = listing("jobs", entries, ({ id }) => id, show, sortOf(query.sort, jobOrders(api, filter)));
  const page = pageOf(api.seal, list, query);
  return isDenied(page) ? page : { entries: page.items, next: page.next, total: page.total };
}

/** The newest live jobs after a place, and how many match in all: of very many jobs a page needs a few. */
function newestLive(
  { control: { state } }: Api,
  filter: JobFilter,
  after: JobPlace | undefined,
  most: number,
): { readonly entries: JobEntry[]; readonly all: number } {
  const newest: (Job | JobArray)[] = [];
  let all = 0;
  const keepMost = () => newest.sort(newestJobFirst).splice(most);
  for (const job of liveJobs(state, filter)) {
    all++;
    if (after !== undefined && newestJobFirst(after, job) >= 0) continue;
    newest.push(job);
    if (newest.length > 4 * most) keepMost();
  }
  keepMost();
  return { entries: newest.map((job) => ({ submittedAt: job.submittedAt, id: job.id, live: job })), all };
}

function liveEntries({ control: { state } }: Api, filter: JobFilter): JobEntry[] {
  const found = Array.from(liveJobs(state, filter), (job) => ({ submittedAt: job.submittedAt, id: job.id, live: job }));
  return found.sort(newestJobFirst);
}

/** Rows that one look reads at least, where some are passed over. */
const rowsPerLook = 1_000;
/** Rows that one page reads at most. */
const rowsMax = 20_000;

/** What of a filter the store finds by its indexes. */
function storeQuery({ roots, user, name, array, outcome }: JobFilter) {
  const some = roots.some((root) => root.path === "") ? [] : roots;
  return {
    accounts: some.map(({ path }) => path),
    madeAt: new Map(some.map(({ path, createdAt }) => [path, createdAt])),
    ...(user !== undefined && { user }),
    ...(name !== undefined && { name }),
    ...(array === undefined ? { tops: true } : { arrayId: array }),
    ...(outcome !== undefined && { outcome }),
  };
}

/** Where only some rows match, it may take several looks; after many the page stays short and leads on. */
async function endedEntries(
  { control: { reader, state } }: Api,
  filter: JobFilter,
  from: JobPlace | undefined,
  wanted: number,
): Promise<Ended> {
  const asked = storeQuery(filter);
  const limit = readsAll(filter) ? Math.max(rowsPerLook, wanted) : wanted;
  const entries: JobEntry[] = [];
  const slices = new Slices();
  let before = from;
  for (let read = 0; read < rowsMax; read += limit) {
    const rows = await reader.jobs({ ...asked, limit, ...(before !== undefined && { before }) });
    for (const row of rows) {
      if (slices.isOver) await slices.next();
      if (matchesEnded(state, filter, row)) entries.push({ submittedAt: row.submittedAt, id: row.id, row });
    }
    if (rows.length < limit || entries.length >= wanted)
      return { entries: entries.slice(0, wanted), horizon: undefined };
    before = rows.at(-1)!;
  }
  return { entries, horizon: before };
}

/** A job that has ended between the two looks is in both; the row is the newer knowledge. */
function mergeNewest(live: readonly JobEntry[], ended: readonly JobEntry[]): JobEntry[] {
  const endedIds = new Set(ended.map((entry) => entry.id));
  const all = [...live.filter((entry) => !endedIds.has(entry.id)), ...ended];
  return all.sort(newestJobFirst);
}
