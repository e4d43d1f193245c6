import type { Event, JobEnded, JobRequeued, LeaseResult } from "../journal/event.ts";
import type { JobNo } from "../model/ids.ts";
import type { Job, JobArray, JobOutcome } from "../model/job.ts";
import { type Instant, minute, second } from "../model/units.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { unmadeElements } from "../state/unmade.ts";

/** How the last member of an attempt ended. */
export interface LastEnd {
  readonly result: LeaseResult;
  readonly exitCode?: number;
  readonly limit?: string;
  readonly reason?: string;
  readonly neighbour?: true;
  readonly done?: true;
  /** When it ended by the engine's clock. */
  readonly at?: Instant;
}

/** A job that fails at once would be restarted as fast as the machine can; so it waits longer each time. */
function retryDelayMs(failures: number): number {
  return Math.min(5 * minute, second * 2 ** Math.min(failures, 20));
}

/** All members of the attempt have ended: the job ends, or waits as the next attempt, exactly one of the two (S20). */
export function finishAttempt(
  state: ReadonlyState,
  job: Job,
  last: LastEnd,
  now: Instant,
  together: EndingTogether = endingTogether(),
): Event[] {
  const late = last.at !== undefined && last.at < now ? { ranUntil: last.at } : undefined;
  const again = (cause: JobRequeued["cause"], notBeforeAt: Instant, alone?: true): Event[] => [
    { kind: "job-requeued", v: 1, at: now, job: job.no, attempt: job.attempt + 1, cause, notBeforeAt, alone, ...late },
  ];
  const exitCode = job.exitCode !== undefined && job.exitCode !== 0 ? job.exitCode : (last.exitCode ?? job.exitCode);
  const end = (outcome: JobOutcome, reason?: string): Event[] =>
    endJob(state, job, { outcome, exitCode, reason, ...late }, now, together);
  const { retry } = job.spec;
  // A job that was asked to leave exits as it likes, often with 0 after it has saved. Only the done file says that its
  // work is complete, and then the exit codes are those of members that were being stopped (0020).
  const done = job.done === true || last.done === true;
  const complete = (): Event[] => endJob(state, job, { outcome: "succeeded", exitCode: 0, ...late }, now, together);
  // A neighbour's fault is one of the infrastructure: a rule for lost nodes holds for it too [L3].
  const byNeighbour = (): Event[] => {
    if (done) return complete();
    if (retry.when.includes("node_lost")) return again("neighbour_fault", 0, true);
    return end("infra-failed", job.endReason ?? last.reason);
  };
  switch (job.stopCause) {
    case "cancel":
      return end("cancelled");
    case "deadline":
      return end("deadline-passed", "its deadline came while it ran");
    case "spent":
      return done ? complete() : end("over-budget", job.stopWhy);
    case "time-limit":
      return end("timed-out", "it reached its max_time");
    case "idle":
      return done ? complete() : end("timed-out", job.stopWhy);
    case "preempt":
    case "drain":
    case "budget":
      if (done) return complete();
      if (retry.when.includes("preempted")) return again(job.stopCause === "preempt" ? "preempted" : job.stopCause, 0);
      return end("preempted", `${whyLeft(job)}, and its retry rule does not bring it back`);
    case "move":
      return done ? complete() : again("moved", 0);
    case "suspend":
      return done ? complete() : again("suspended", 0);
    case "requeue":
      return done ? complete() : again("requeued", 0);
    case "node-lost":
      if (retry.when.includes("node_lost")) return again("node_lost", 0);
      return end("infra-failed", "a node was lost under it");
    case "unhealthy":
      if (done) return complete();
      if (retry.when.includes("node_lost")) return again("node_fault", 0);
      return end("infra-failed", job.stopWhy ?? "its node had a fault");
    case "neighbour-fault":
      return byNeighbour();
    default:
      break;
  }
  if (last.neighbour === true) return byNeighbour();
  if (last.result === "lost") {
    if (retry.when.includes("node_lost")) return again("node_lost", 0);
    return end("infra-failed", last.reason ?? "the engine lost it");
  }
  const reason = job.fault ?? job.endReason ?? last.reason;
  // No member ran to an end: the engine refused one, or it was stopped before it was released.
  if (exitCode === undefined) return end("infra-failed", reason ?? "it was stopped before it ran");
  if (last.limit === "time") return end("timed-out", "it reached its max_time");
  if (exitCode === 0 && last.result === "exited") return end("succeeded");
  if (retry.when.includes("failed") && job.failures < retry.max)
    return again("failed", now + retryDelayMs(job.failures));
  return end("failed", reason);
}

function whyLeft({ stopCause, stopWhy }: Job): string {
  return stopCause === "budget" && stopWhy !== undefined ? stopWhy : "its seat was needed";
}

/** Jobs that end by one decision. The state does not show these ends yet, so each end must know of the others. */
export interface EndingTogether {
  readonly jobs: Set<JobNo>;
  /** By array: how many of its elements end now, and whether any element ever failed. */
  readonly elements: Map<JobNo, { ended: number; failed: boolean }>;
  /** Arrays of which all elements are made by it. */
  readonly made: Set<JobNo>;
}

export function endingTogether(): EndingTogether {
  return { jobs: new Set(), elements: new Map(), made: new Set() };
}

export type HowEnded = Omit<JobEnded, "kind" | "v" | "at" | "job">;

/** The end of a job, and of every job that waits for it to succeed if it did not. */
export function endJob(
  state: ReadonlyState,
  job: Job,
  ended: HowEnded,
  now: Instant,
  together: EndingTogether = endingTogether(),
): Event[] {
  return new Endings(state, now, together).end([job], ended);
}

/** The end of all elements of an array that are not made; they are made for it, so that each has its own record. */
export function endUnmade(
  state: ReadonlyState,
  array: JobArray,
  ended: HowEnded,
  now: Instant,
  together: EndingTogether,
): Event[] {
  return new Endings(state, now, together).endRest(array, ended);
}

/** Ends that one decision brings about, each with those that follow from it. */
class Endings {
  readonly #state: ReadonlyState;
  readonly #now: Instant;
  readonly #together: EndingTogether;
  readonly #events: Event[] = [];

  constructor(state: ReadonlyState, now: Instant, together: EndingTogether) {
    this.#state = state;
    this.#now = now;
    this.#together = together;
  }

  end(jobs: Iterable<Job>, ended: HowEnded): Event[] {
    for (const job of jobs) this.#close(job, ended);
    return this.#events;
  }

  endRest(array: JobArray, ended: HowEnded): Event[] {
    const { made } = this.#together;
    if (array.later === undefined || made.has(array.no)) return this.#events;
    made.add(array.no);
    this.#events.push({ kind: "elements-made", v: 1, at: this.#now, array: array.no });
    return this.end(unmadeElements(this.#state, array), ended);
  }

  #close(job: Job, ended: HowEnded): void {
    const { jobs, elements } = this.#together;
    if (jobs.has(job.no)) return;
    jobs.add(job.no);
    this.#events.push({ kind: "job-ended", v: 1, at: this.#now, job: job.no, ...ended });
    const good = ended.outcome === "succeeded";
    if (!good) this.#disappoint(job, ended.outcome);
    if (job.array === undefined) return;
    const array = this.#state.arrays.get(job.array)!;
    const so = elements.get(array.no) ?? { ended: 0, failed: array.succeeded < array.size - array.live };
    so.ended++;
    so.failed ||= !good;
    elements.set(array.no, so);
    if (so.ended === array.live && so.failed) this.#disappoint(array, "failed");
  }

  /** The jobs that were to run after its success end too. */
  #disappoint({ no, id, spec }: Job | JobArray, outcome: JobOutcome): void {
    const reason = `${spec.name} (${id}), which it was to run after, did not succeed: ${outcome}`;
    const failed: HowEnded = { outcome: "dependency-failed", reason };
    for (const dependent of this.#state.dependents.get(no) ?? []) {
      const waiting = this.#state.jobs.get(dependent.job);
      if (dependent.when === "ended" || waiting === undefined) continue;
      const array = waiting.array === undefined ? undefined : this.#state.arrays.get(waiting.array);
      if (array?.later !== undefined) this.endRest(array, failed);
      this.#close(waiting, failed);
    }
  }
}
