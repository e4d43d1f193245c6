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
import type { QueryOf } from "@tessera/wire";
import type { Principal } from "../../access/principal.ts";
import { liveById } from "../../flow/find/find-job.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { type JobFilter, liveJobs, matchesEnded, matchesLive, wantsEnded } from "../list/job-filter.ts";
import { showEnded, showLive } from "../list/job-show.ts";
import { listJobs } from "../list/jobs.ts";
import { quickMs } from "./diff.ts";
import type { Change, Source } from "./source.ts";

/** Jobs may be very many, so only those that an event touched are looked at again. */
export class JobSource implements Source {
  readonly #api: Api;
  readonly #principal: Principal;
  readonly #filter: JobFilter;
  readonly #query: QueryOf<"listJobs">;
  readonly #touched = new Set<JobId>();
  readonly #told = new Set<string>();
  readonly everyMs = quickMs;

  constructor(api: Api, principal: Principal, filter: JobFilter, query: QueryOf<"listJobs">) {
    this.#api = api;
    this.#principal = principal;
    this.#filter = filter;
    this.#query = query;
  }

  async sync(): Promise<readonly object[] | Denial> {
    this.#touched.clear();
    const page = await listJobs(this.#api, this.#principal, this.#filter, { ...this.#query, cursor: undefined });
    if (isDenied(page)) return page;
    this.#told.clear();
    for (const { id } of page.items) this.#told.add(id);
    // A client that reads the rest of the list page by page is also told when a job of it goes.
    const { state } = this.#api.control;
    for (const job of liveJobs(state, this.#filter)) this.#told.add(job.id);
    return page.items;
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
    const acts = new Acts(this.#api.control.state, this.#principal);
    for (const id of touched) changes.push(...(await this.#changesOf(id, acts)));
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
    // One that came and went between two looks was never told, and is told only where ended jobs are asked for.
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
