import {
  type Event,
  type Job,
  type JobArray,
  type JobId,
  type JobNo,
  parseLeaseId,
  type ReadonlyState,
  unmadeElements,
} from "@tessera/core";
import type { AnswerOf, RouteId } from "@tessera/wire";
import { liveById } from "../../flow/find/find-job.ts";
import { Slices } from "../../flow/slices.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import { answerAway, isAway } from "../away/away.ts";
import type { Api, Call } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { type JobFilter, jobFilter, liveJobs, matchesEnded, matchesLive, wantsEnded } from "../list/job-filter.ts";
import { showEnded, showLive } from "../list/job-show.ts";
import { listJobs } from "../list/jobs.ts";
import { usualLimit } from "../request/page.ts";
import { quickMs } from "./diff.ts";
import type { Change, Source } from "./source.ts";

const utf8 = new TextDecoder();

/** Jobs may be very many, so only those that an event touched are looked at again. */
export class JobSource implements Source {
  readonly #api: Api;
  readonly #call: Call<"listJobs">;
  readonly #filter: JobFilter;
  readonly #touched = new Set<JobId>();
  readonly #told = new Set<string>();
  readonly everyMs = quickMs;

  constructor(api: Api, call: Call<"listJobs">) {
    this.#api = api;
    // A watched list begins at its beginning, and is not counted.
    this.#call = { ...call, query: { ...call.query, cursor: undefined, count: undefined } };
    this.#filter = jobFilter(api, call.target, call.query);
  }

  async sync(left: AbortSignal): Promise<readonly object[] | Denial> {
    this.#touched.clear();
    const page = await this.#firstPage(left);
    if (isDenied(page)) return page;
    this.#told.clear();
    for (const { id } of page.items) this.#told.add(id);
    return [...page.items, ...(await this.#otherLive(page.items.length))];
  }

  /** From the thread that would answer an ordinary list: what happens meanwhile is among what was touched. */
  async #firstPage(left: AbortSignal): Promise<AnswerOf<"listJobs"> | Denial> {
    const [api, call] = [this.#api, this.#call];
    if (api.work === undefined || !isAway("listJobs", api.control.state, call.query))
      return listJobs(api, call.principal, this.#filter, call.query);
    const answer = await answerAway(api, "listJobs", call as unknown as Call<RouteId>, left);
    return isDenied(answer) ? answer : (JSON.parse(utf8.decode(answer.json)) as AnswerOf<"listJobs">);
  }

  /**
   * Live jobs that are not on the first page, where it has room: those beyond the place where a search of the past stopped.
   * A client that reads the rest of a longer list page by page is also told when a job of it goes.
   */
  async #otherLive(shown: number): Promise<readonly object[]> {
    const { state } = this.#api.control;
    const room = (this.#call.query.limit ?? usualLimit) - shown;
    const slices = new Slices();
    const others: (Job | JobArray)[] = [];
    for (const job of liveJobs(state, this.#filter)) {
      if (slices.isOver) await slices.next();
      if (this.#told.has(job.id)) continue;
      this.#told.add(job.id);
      if (room > 0) others.push(job);
    }
    others.sort((a, b) => b.submittedAt - a.submittedAt);
    const acts = new Acts(state, this.#call.principal);
    return others.slice(0, Math.max(0, room)).map((job) => showLive(this.#api, acts, job));
  }

  see(event: Event, state: ReadonlyState): void {
    const job = idOf(event, state);
    if (job === undefined) return;
    this.#touched.add(job);
    const array = job === this.#filter.array ? state.arrayById.get(job) : undefined;
    // What is told of an array as a whole holds for each of its elements.
    if (array !== undefined && event.kind !== "job-submitted")
      for (const element of elementsOf(state, array)) this.#touched.add(element.id);
    const dot = job.indexOf(".");
    if (dot > 0) this.#touched.add(job.slice(0, dot) as JobId);
  }

  get backlog(): number {
    return this.#touched.size;
  }

  async changes(): Promise<readonly Change[]> {
    const changes: Change[] = [];
    const touched = [...this.#touched];
    this.#touched.clear();
    const acts = new Acts(this.#api.control.state, this.#call.principal);
    const slices = new Slices();
    for (const id of touched) {
      if (slices.isOver) await slices.next();
      changes.push(...(await this.#changesOf(id, acts)));
    }
    return changes;
  }

  async #changesOf(id: JobId, acts: Acts): Promise<readonly Change[]> {
    const { state, reader } = this.#api.control;
    const live = liveById(state, id);
    if (live !== undefined) {
      if (!matchesLive(state, this.#filter, live)) return this.#gone(id);
      this.#told.add(id);
      return [{ event: "put", item: showLive(this.#api, acts, live) }];
    }
    const wanted = wantsEnded(this.#filter);
    // A job that started and ended between two reads was never sent: it is sent only if the filter includes ended jobs.
    if (!wanted && !this.#told.has(id)) return [];
    const row = await reader.job(id);
    if (
      row === undefined ||
      !matchesEnded(this.#api.control.state, this.#filter, row) ||
      !this.#sees(row.user, row.name)
    )
      return this.#gone(id);
    const put: Change = { event: "put", item: showEnded(this.#api, acts, row) };
    if (wanted) {
      this.#told.add(id);
      return [put];
    }
    // How it ended, and then that it is no longer in the list.
    return [put, ...this.#gone(id)];
  }

  #sees(user: string, name: string): boolean {
    if (this.#filter.user !== undefined && this.#filter.user !== user) return false;
    return this.#filter.name === undefined || this.#filter.name === name;
  }

  #gone(id: JobId): readonly Change[] {
    return this.#told.delete(id) ? [{ event: "delete", id }] : [];
  }
}

function* elementsOf(state: ReadonlyState, array: JobArray): Generator<Job> {
  for (let no = array.no + 1; no <= array.no + array.size; no++) {
    const job = state.jobs.get(no as JobNo);
    if (job !== undefined) yield job;
  }
  yield* unmadeElements(state, array);
}

function idOf(event: Event, state: ReadonlyState): JobId | undefined {
  switch (event.kind) {
    case "job-submitted":
      return event.id;
    case "job-held":
    case "job-edited":
    case "job-labelled":
    case "job-planned":
    case "plan-dropped":
    case "job-placed":
    case "job-grown":
    case "job-requeued":
    case "job-claimed":
    case "claim-dropped":
    case "job-classed":
    case "job-ended":
      return (state.jobs.get(event.job as JobNo) ?? state.arrays.get(event.job as JobNo))?.id;
    case "lease-scrubbed":
    case "lease-reshaped":
    case "lease-prepared":
    case "lease-started":
    case "lease-stopping":
    case "lease-ended":
      return parseLeaseId(event.lease)?.job;
    default:
      return undefined;
  }
}
