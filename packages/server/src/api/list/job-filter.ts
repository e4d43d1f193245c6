import {
  type Account,
  isInside,
  type Job,
  type JobArray,
  type JobNo,
  type Labels,
  type ReadonlyState,
  type ReasonKind,
  type UserId,
  unmadeElements,
} from "@tessera/core";
import { jobOutcomes, type QueryOf, type Job as WireJob } from "@tessera/wire";
import { belongsTo } from "../../flow/find/find-job.ts";
import type { EndedJobRow, JobQuery } from "../../store/port.ts";
import type { Api } from "../context.ts";

export type JobsQuery = QueryOf<"listJobs">;

export type JobPlace = Pick<EndedJobRow, "submittedAt" | "id">;
/** A job of a list, live or as it ended. */
export type JobEntry = JobPlace & ({ readonly live: Job | JobArray } | { readonly row: EndedJobRow });

/** What a list of jobs is cut to, with names settled. */
export interface JobFilter {
  readonly roots: readonly Account[];
  /** Without the accounts below them. */
  readonly own: boolean;
  readonly user: UserId | undefined;
  readonly name: string | undefined;
  readonly array: string | undefined;
  readonly state: NonNullable<JobsQuery["state"]>;
  /** Only jobs that ended so. */
  readonly outcome: JobQuery["outcome"];
  readonly reason: ReasonKind | undefined;
  readonly model: string | undefined;
  /** Without a value: any. */
  readonly label: { readonly key: string; readonly value: string | undefined } | undefined;
  /** Only jobs that are older: what comes after this place in the list. */
  readonly before: JobPlace | undefined;
  /** In lower case; undefined for any. */
  readonly text: string | undefined;
  readonly nameOf: (user: UserId) => string;
  readonly reasonOf: (job: Job) => ReasonKind;
}

export function jobFilter(api: Api, roots: readonly Account[], query: JobsQuery): JobFilter {
  const user = query.user === undefined ? undefined : (api.people.idOf(query.user) ?? (query.user as UserId));
  const { state = "live", own = false, name, array, reason, model } = query;
  const text = query.text?.trim().toLowerCase();
  return {
    ...{ roots, own, user, name, array, state, reason, model },
    label: labelOf(query.label),
    outcome: outcomeOf(state),
    before: query.before === undefined ? undefined : { submittedAt: Date.parse(query.before), id: "" },
    text: text === "" ? undefined : text,
    nameOf: (id) => api.people.nameOf(id),
    reasonOf: (job) => api.reasons.kindOf(job),
  };
}

function labelOf(text: string | undefined): JobFilter["label"] {
  if (text === undefined) return undefined;
  const at = text.indexOf("=");
  return at < 0 ? { key: text, value: undefined } : { key: text.slice(0, at), value: text.slice(at + 1) };
}

function hasLabel(label: NonNullable<JobFilter["label"]>, labels: Labels = {}): boolean {
  return Object.hasOwn(labels, label.key) && (label.value === undefined || labels[label.key] === label.value);
}

function outcomeOf(state: JobFilter["state"]): JobFilter["outcome"] {
  if (state === "unsuccessful") return { not: ["succeeded", "cancelled"] };
  return jobOutcomes.find((outcome) => outcome === state);
}

/** The state in which a live job or an array as a whole is shown. */
export function shownState(job: Job | JobArray): string {
  return "size" in job ? (job.active > 0 ? "running" : "waiting") : job.state;
}

function fitsState(wanted: JobFilter["state"], job: Job | JobArray): boolean {
  if (wanted === "live" || wanted === "all") return true;
  const state = shownState(job);
  return wanted === "active" ? state !== "waiting" : wanted === state;
}

/** Whether a live job or array belongs in the list. Elements are shown only when their array is asked for. */
export function matchesLive(state: ReadonlyState, filter: JobFilter, job: Job | JobArray): boolean {
  const { roots, user, name, array, model, text } = filter;
  if (filter.outcome !== undefined || !fitsState(filter.state, job) || isTooNew(filter, job)) return false;
  const arrayNo = "array" in job ? job.array : undefined;
  if (array === undefined ? arrayNo !== undefined : state.arrays.get(arrayNo!)?.id !== array) return false;
  if ((user !== undefined && job.user !== user) || (name !== undefined && job.spec.name !== name)) return false;
  if (!roots.some(({ no }) => (filter.own ? no === job.account : isInside(state, job.account, no)))) return false;
  if (model !== undefined && modelOf(state, job) !== model) return false;
  if (filter.label !== undefined && !hasLabel(filter.label, job.spec.labels)) return false;
  const words = { id: job.id, name: job.spec.name, account: state.accounts[job.account]!.path, user: job.user };
  if (text !== undefined && !holdsText(filter, text, words)) return false;
  return filter.reason === undefined || waitsFor(state, job, filter) === filter.reason;
}

function isTooNew({ before }: JobFilter, { submittedAt }: Pick<JobPlace, "submittedAt">): boolean {
  return before !== undefined && submittedAt >= before.submittedAt;
}

function modelOf(state: ReadonlyState, job: Job | JobArray): string {
  const choice = "size" in job ? 0 : job.choice;
  const held = "size" in job ? undefined : job.leases[0]?.gpus[0];
  return held === undefined ? job.spec.gpus[choice]!.model : state.fleet.models[state.fleet.gpuModel[held]!]!;
}

/** Why it waits; of an array, why its first waiting element does. */
export function waitsFor(state: ReadonlyState, job: Job | JobArray, { reasonOf }: JobFilter): ReasonKind | undefined {
  const waiting = waitingOne(state, job);
  return waiting === undefined ? undefined : reasonOf(waiting);
}

/** The job itself when it waits; of an array the first element that does. */
export function waitingOne(state: ReadonlyState, job: Job | JobArray): Job | undefined {
  if (!("size" in job)) return job.state === "waiting" ? job : undefined;
  for (let no = job.no + 1; no <= job.no + job.size; no++) {
    const element = state.jobs.get(no as JobNo);
    if (element?.state === "waiting") return element;
  }
  return undefined;
}

interface JobWords {
  readonly id: string;
  readonly name: string;
  readonly account: string;
  readonly user: string;
}

function holdsText({ nameOf }: JobFilter, text: string, { id, name, account, user }: JobWords): boolean {
  return `${name} ${id} ${account} ${nameOf(user as UserId)}`.toLowerCase().includes(text);
}

export function matchesEnded(state: ReadonlyState, filter: JobFilter, row: EndedJobRow): boolean {
  const { roots, own, outcome, text, model, label } = filter;
  if (!belongsTo(state, roots, row.account, row.submittedAt) || isTooNew(filter, row)) return false;
  if (own && !roots.some(({ path }) => path === row.account)) return false;
  if (typeof outcome === "object" ? outcome.not.includes(row.outcome) : (outcome ?? row.outcome) !== row.outcome)
    return false;
  if (text !== undefined && !holdsText(filter, text, row)) return false;
  if (model !== undefined || label !== undefined) {
    const { gpuModel, labels } = JSON.parse(row.doc) as WireJob;
    if (gpuModel !== (model ?? gpuModel) || (label !== undefined && !hasLabel(label, labels))) return false;
  }
  return filter.array === undefined ? row.arrayId === null : row.arrayId === filter.array;
}

/** Whether only the ended jobs themselves tell which of them belong in the list: no index of the store does. */
export function readsAll({ own, text, model, label }: JobFilter): boolean {
  return own || text !== undefined || model !== undefined || label !== undefined;
}

/** Whether jobs that have ended are asked for. */
export function wantsEnded({ state, outcome, reason }: JobFilter): boolean {
  return (state === "ended" || state === "all" || outcome !== undefined) && reason === undefined;
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
