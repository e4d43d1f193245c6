import { Rooms } from "@tessera/core";
import type { AnswerOf } from "@tessera/wire";
import type { Principal } from "../../access/principal.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { closeCursor, openCursor, usualLimit } from "../request/page.ts";
import { type Ended, endedInOrder, storeQuery } from "./ended-in-order.ts";
import { type JobEntry, type JobFilter, type JobsQuery, liveJobs, readsAll, wantsEnded } from "./job-filter.ts";
import { compareInOrder, type JobOrder, jobOrder, type OrderPlace, placeOf } from "./job-orders.ts";
import { withOutlooks } from "./job-outlook.ts";
import { showEnded, showLive, withCost, withFailed } from "./job-show.ts";

/**
 * Live and ended jobs in one order, newest first unless another one is asked for. In an order that does not change with
 * its end, a job that ends while one pages through is met once.
 */
export async function listJobs(
  api: Api,
  principal: Principal,
  filter: JobFilter,
  query: JobsQuery,
): Promise<JobPage | Denial> {
  const found = await entriesOf(api, filter, query);
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

async function entriesOf(api: Api, filter: JobFilter, query: JobsQuery): Promise<EntryPage | Denial> {
  const order = jobOrder(api, filter, query.sort);
  const list = `jobs by ${order.name}`;
  const opened = openCursor(api.seal, list, query.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const after = opened?.at as OrderPlace | undefined;
  const limit = query.limit ?? usualLimit;
  const live = liveInOrder(api, filter, order, after, limit + 1);
  const past = wantsEnded(filter) ? await endedInOrder(api, filter, order, after, limit + 1) : nothingEnded;
  if (isDenied(past)) return past;
  const { entries, next } = mergedPage(order, live.entries, past, limit);
  const whole = after === undefined && next === undefined ? entries.length : undefined;
  return {
    entries,
    next: next && closeCursor(api.seal, list, next),
    total: query.count ? (whole ?? (await countJobs(api, filter, live.all))) : undefined,
  };
}

/**
 * Live and ended jobs in one order, as far as the ended ones are known, and the place after which the next page begins.
 * Live jobs beyond that horizon come later, in their turn among the ended jobs that are not read yet.
 */
function mergedPage(
  order: JobOrder,
  live: readonly PlacedEntry[],
  { entries: ended, horizon }: Ended,
  limit: number,
): { readonly entries: readonly JobEntry[]; readonly next: OrderPlace | undefined } {
  // A job that has ended between the two looks is in both; the row is the newer knowledge.
  const endedIds = new Set(ended.map(({ id }) => id));
  const known = live.filter(
    ({ place }) => !endedIds.has(place.id) && (horizon === undefined || compareInOrder(order, place, horizon) <= 0),
  );
  const past = ended.map((entry) => ({ entry, place: placeOf(order, entry) }));
  const merged = [...known, ...past].sort((a, b) => compareInOrder(order, a.place, b.place));
  const entries = merged.slice(0, limit);
  return {
    entries: entries.map(({ entry }) => entry),
    next: merged.length > limit ? entries.at(-1)!.place : horizon,
  };
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

const nothingEnded: Ended = { entries: [], horizon: undefined };

interface PlacedEntry {
  readonly entry: JobEntry;
  readonly place: OrderPlace;
}

/** The first live jobs after a place, and how many match in all: of very many jobs a page needs a few. */
function liveInOrder(
  { control: { state } }: Api,
  filter: JobFilter,
  order: JobOrder,
  after: OrderPlace | undefined,
  most: number,
): { readonly entries: readonly PlacedEntry[]; readonly all: number } {
  const first: PlacedEntry[] = [];
  let all = 0;
  const keepMost = () => first.sort((a, b) => compareInOrder(order, a.place, b.place)).splice(most);
  for (const live of liveJobs(state, filter)) {
    all++;
    const entry = { submittedAt: live.submittedAt, id: live.id, live };
    const place = placeOf(order, entry);
    if (after !== undefined && compareInOrder(order, after, place) >= 0) continue;
    first.push({ entry, place });
    if (first.length > 4 * most) keepMost();
  }
  keepMost();
  return { entries: first, all };
}
