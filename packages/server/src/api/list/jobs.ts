import {
  type Account,
  isInside,
  type Job,
  type JobArray,
  type JobId,
  type JobOutcome,
  type ReadonlyState,
  type UserId,
  unmadeElements,
} from "@tessera/core";
import { jobOutcomes, type QueryOf, type Job as WireJob } from "@tessera/wire";
import { costOfJob, renderJobCost } from "../../flow/bill/job-cost.ts";
import { belongsTo } from "../../flow/find/find-job.ts";
import { renderArray, renderJob } from "../../render/job.ts";
import type { EndedJobRow } from "../../store/port.ts";
import type { Denial } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { closeCursor, openCursor, usualLimit } from "../request/page.ts";

type JobsQuery = QueryOf<"listJobs">;

/** What a list of jobs is cut to, with names settled. */
export interface JobFilter {
  readonly roots: readonly Account[];
  readonly user: UserId | undefined;
  readonly name: string | undefined;
  readonly array: string | undefined;
  readonly state: NonNullable<JobsQuery["state"]>;
  /** Only jobs that ended so. */
  readonly outcome: JobOutcome | undefined;
}

export function jobFilter(api: Api, roots: readonly Account[], query: JobsQuery): JobFilter {
  const user = query.user === undefined ? undefined : (api.people.idOf(query.user) ?? (query.user as UserId));
  const { state = "live" } = query;
  const outcome = (jobOutcomes as readonly string[]).includes(state) ? (state as JobOutcome) : undefined;
  return { roots, user, name: query.name, array: query.array, state, outcome };
}

/** The state in which a live job or an array as a whole is shown. */
function shownState(job: Job | JobArray): string {
  return "size" in job ? (job.active > 0 ? "running" : "waiting") : job.state;
}

/** Whether a live job or array belongs in the list. Elements are shown only when their array is asked for. */
export function matchesLive(state: ReadonlyState, filter: JobFilter, job: Job | JobArray): boolean {
  const { roots, user, name, array } = filter;
  if (filter.state === "ended" || filter.outcome !== undefined) return false;
  if (filter.state !== "live" && filter.state !== "all" && filter.state !== shownState(job)) return false;
  const arrayNo = "array" in job ? job.array : undefined;
  if (array === undefined ? arrayNo !== undefined : state.arrays.get(arrayNo!)?.id !== array) return false;
  if ((user !== undefined && job.user !== user) || (name !== undefined && job.spec.name !== name)) return false;
  return roots.some((root) => isInside(state, job.account, root.no));
}

export function matchesEnded(state: ReadonlyState, filter: JobFilter, row: EndedJobRow): boolean {
  if (!belongsTo(state, filter.roots, row.account, row.submittedAt)) return false;
  if (filter.outcome !== undefined && row.outcome !== filter.outcome) return false;
  return filter.array === undefined ? row.arrayId === null : row.arrayId === filter.array;
}

export function showLive(api: Api, job: Job | JobArray): WireJob {
  const { state } = api.control;
  const shown = "size" in job ? renderArray(state, job) : renderJob(state, job, api.control.now());
  return withName(api, shown);
}

export function showEnded(api: Api, row: EndedJobRow): WireJob {
  return withName(api, JSON.parse(row.doc) as WireJob);
}

/** A job with what it has cost, where there are prices; an array has no leases of its own. */
export async function withCost({ control }: Api, job: WireJob): Promise<WireJob> {
  if (job.elements !== undefined) return job;
  const { state, reader } = control;
  const live = state.jobById.get(job.id as JobId);
  const about = { id: job.id, account: job.project, ...(live !== undefined && { live }) };
  const cost = await costOfJob(reader, state, about, control.now());
  return cost === undefined ? job : { ...job, cost: renderJobCost(state, cost) };
}

/** A job with the energy that its GPUs took; what no sample tells of is absent. */
export async function withEnergy({ telemetry, control }: Api, job: WireJob): Promise<WireJob> {
  if (telemetry === undefined || job.startedAt === undefined || job.elements !== undefined) return job;
  const from = Date.parse(job.submittedAt);
  const to = job.endedAt === undefined ? control.now() : Date.parse(job.endedAt);
  const filter = { job: job.id as JobId };
  // The job is shown without it where the samples cannot be read now.
  const rows = await telemetry.busy({ from, to, by: "job", filter }).catch(() => []);
  const measured = rows.filter(({ energyMillijoules }) => energyMillijoules !== undefined);
  if (measured.length === 0) return job;
  const millijoules = measured.reduce((sum, row) => sum + row.energyMillijoules!, 0);
  const simulated = measured.some((row) => row.simulated === true);
  return { ...job, energy: { joules: Math.round(millijoules / 1_000), ...(simulated && { simulated }) } };
}

/** How many elements that did not succeed are named. */
const failedNamed = 100;

/** An array with the elements that did not succeed; what is stored holds their number alone. */
export async function withFailed({ control: { reader } }: Api, job: WireJob): Promise<WireJob> {
  if (job.elements === undefined || job.elements.failed === 0) return job;
  const rows = await reader.jobs({ accounts: [], arrayId: job.id, outcome: { not: "succeeded" }, limit: failedNamed });
  const failedIndexes = rows.map(({ id }) => Number(id.slice(id.lastIndexOf(".") + 1))).sort((a, b) => a - b);
  return { ...job, elements: { ...job.elements, failedIndexes } };
}

/** The name of the user is added when it is shown; what is stored holds the id alone. */
export function withName(api: Api, job: WireJob): WireJob {
  const name = api.people.nameOf(job.user as UserId);
  return name === "" ? job : { ...job, userName: name };
}

type Place = Pick<EndedJobRow, "submittedAt" | "id">;
type Entry = Place & ({ readonly live: Job | JobArray } | { readonly row: EndedJobRow });

/** The store's own order. */
function newestJobFirst(a: Place, b: Place): number {
  return b.submittedAt - a.submittedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** Newest first, live and ended in one order, so that a job that ends while one pages through is met once. */
export async function listJobs(
  api: Api,
  filter: JobFilter,
  query: JobsQuery,
): Promise<{ items: WireJob[]; next?: string } | Denial> {
  const opened = openCursor(api.seal, "jobs", query.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const before = opened?.at as Place | undefined;
  const limit = query.limit ?? usualLimit;
  const live = liveEntries(api, filter, before);
  const wantsEnded = filter.state === "ended" || filter.state === "all" || filter.outcome !== undefined;
  const ended = wantsEnded ? await endedEntries(api, filter, before, limit + 1) : { entries: [], stoppedAt: undefined };
  const merged = mergeNewest(live, ended.entries, limit + 1);
  const page = merged.slice(0, limit);
  const last = merged.length > limit ? page.at(-1) : ended.stoppedAt;
  const plain = page.map((entry) => ("live" in entry ? showLive(api, entry.live) : showEnded(api, entry.row)));
  const shown = await Promise.all(plain.map((job) => withFailed(api, job)));
  return {
    items: query.cost === true ? await Promise.all(shown.map((job) => withCost(api, job))) : shown,
    ...(last !== undefined && { next: closeCursor(api.seal, "jobs", { submittedAt: last.submittedAt, id: last.id }) }),
  };
}

function liveEntries({ control: { state } }: Api, filter: JobFilter, before: Place | undefined): Entry[] {
  const found: Entry[] = [];
  for (const job of liveJobs(state, filter)) {
    const entry = { submittedAt: job.submittedAt, id: job.id, live: job };
    if (before === undefined || newestJobFirst(before, entry) < 0) found.push(entry);
  }
  return found.sort(newestJobFirst);
}

/** Live jobs, arrays and, of an array that is asked for, elements that are not made yet, as far as the filter goes. */
export function* liveJobs(state: ReadonlyState, filter: JobFilter): Generator<Job | JobArray> {
  for (const array of state.arrays.values()) {
    if (matchesLive(state, filter, array)) yield array;
    if (array.id === filter.array && array.later !== undefined)
      for (const job of unmadeElements(state, array)) if (matchesLive(state, filter, job)) yield job;
  }
  for (const job of state.jobs.values()) if (matchesLive(state, filter, job)) yield job;
}

const rowsPerLook = 200;
const looksMax = 20;

/** Elements lie among the rows and are passed over, so it may take several looks; after many the page stays short. */
async function endedEntries(
  { control: { reader, state } }: Api,
  filter: JobFilter,
  from: Place | undefined,
  wanted: number,
) {
  const accounts = filter.roots.some((root) => root.path === "") ? [] : filter.roots.map((root) => root.path);
  const { user, name, array, outcome } = filter;
  const entries: Entry[] = [];
  let before = from;
  for (let look = 0; look < looksMax; look++) {
    const limit = array === undefined ? Math.max(rowsPerLook, 2 * wanted) : wanted;
    const rows = await reader.jobs({
      accounts,
      limit,
      ...(user !== undefined && { user }),
      ...(name !== undefined && { name }),
      ...(array !== undefined && { arrayId: array }),
      ...(outcome !== undefined && { outcome }),
      ...(before !== undefined && { before }),
    });
    for (const row of rows) {
      if (matchesEnded(state, filter, row)) entries.push({ submittedAt: row.submittedAt, id: row.id, row });
    }
    if (rows.length < limit || entries.length >= wanted)
      return { entries: entries.slice(0, wanted), stoppedAt: undefined };
    before = rows.at(-1)!;
  }
  return { entries, stoppedAt: before };
}

/** A job that has ended between the two looks is in both; the row is the newer knowledge. */
function mergeNewest(live: readonly Entry[], ended: readonly Entry[], most: number): Entry[] {
  const endedIds = new Set(ended.map((entry) => entry.id));
  const all = [...live.filter((entry) => !endedIds.has(entry.id)), ...ended];
  return all.sort(newestJobFirst).slice(0, most);
}
