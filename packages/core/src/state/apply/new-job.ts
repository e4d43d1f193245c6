import { noSlot } from "../../collections/slots.ts";
import type { JobSubmitted } from "../../journal/event.ts";
import { type JobId, type JobNo, noAccount } from "../../model/ids.ts";
import { elementsOf, type Job, type JobSpec } from "../../model/job.ts";
import type { ReadonlyState } from "../readonly-state.ts";
import { backlogMsOf } from "./backlog.ts";

/** How many elements an array has; 0 for a single job. */
export function arraySize(spec: JobSpec): number {
  return spec.array === undefined ? 0 : elementsOf(spec.array);
}

/** Estimates about a job at its submission, beside what its spec says. */
export type Foreknown = Pick<Job, "usualMs" | "backlogMs">;

/** The estimates for each of `jobs` equal jobs that are submitted together. */
export function foreknown(state: ReadonlyState, job: Pick<Job, "account" | "user" | "spec">, jobs = 1): Foreknown {
  return { usualMs: usualMsOf(state, job), backlogMs: backlogMsOf(state, job, jobs) };
}

/** How long comparable jobs took, for a job whose spec does not say how long it runs. */
export function usualMsOf(
  { runTimes }: ReadonlyState,
  job: Pick<Job, "account" | "user" | "spec">,
): number | undefined {
  const { expectedMs, maxTimeMs } = job.spec;
  return expectedMs === undefined && maxTimeMs === undefined ? runTimes.usualMs(job) : undefined;
}

/** Lists of a job are replaced, never changed, so all jobs can share one empty list. */
const none: never[] = [];

/** A job as it is when it has just been submitted, on its own or as an element of an array. */
export function newJob(
  { spec, account, user, at }: Pick<JobSubmitted, "spec" | "account" | "user" | "at">,
  waitsFor: number,
  no: JobNo,
  id: JobId,
  array?: JobNo,
  index?: number,
  { usualMs, backlogMs }: Foreknown = {},
): Job {
  return {
    no,
    slot: noSlot,
    id,
    spec,
    account,
    user,
    submittedAt: at,
    array,
    index,
    usualMs,
    backlogMs,
    state: "waiting",
    held: false,
    attempt: 1,
    failures: 0,
    evictions: 0,
    notBeforeAt: spec.notBeforeAt ?? 0,
    choice: 0,
    class: "burst",
    cover: noAccount,
    evictedAt: none,
    leases: none,
    claim: undefined,
    seats: none,
    attempts: none,
    placedAt: 0,
    startedAt: 0,
    stopCause: undefined,
    stopWhy: undefined,
    exitCode: undefined,
    fault: undefined,
    alone: undefined,
    endReason: undefined,
    done: undefined,
    outputs: undefined,
    waitsFor,
  };
}
