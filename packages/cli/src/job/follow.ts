import { setTimeout as sleep } from "node:timers/promises";
import type { Job, LogEntry, QueryOf } from "@tessera/wire";
import { LogPosition } from "@tessera/wire/log-position";
import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Api } from "../http.ts";
import { outageOf } from "../sse.ts";
import { elementsText } from "./elements.ts";
import { readLogLines } from "./log-lines.ts";
import { looksAt } from "./look.ts";
import type { Progress } from "./progress.ts";
import { gangSize, nodesText } from "./state.ts";

export interface FollowOptions {
  readonly signal: AbortSignal;
  readonly progress?: Progress;
  /** Given: log lines are read and handed over as they come. */
  readonly onLine?: (entry: LogEntry, job: Job) => Promise<void>;
  /** The first attempt whose log is wanted; the newest one when absent. */
  readonly fromAttempt?: number;
  /** What part of the log is wanted. */
  readonly logs?: QueryOf<"readLogs">;
  readonly note?: (text: string) => void;
  /** Stop following as soon as this holds; the end of the job always stops it. */
  readonly until?: (job: Job) => boolean;
}

/** Follows a job to its end, through retries and restarts of the server. Undefined when the signal came first. */
export async function followJob(
  api: Api,
  job: Pick<Job, "id" | "name" | "project">,
  options: FollowOptions,
): Promise<Job | undefined> {
  const { signal, progress, note } = options;
  let reading: AttemptLog | undefined;
  for await (const seen of looksAt(api, job, {
    signal,
    onOutage: ({ message }) => note?.(`${message}; trying again`),
    onBack: () => note?.("the server is back"),
  })) {
    if (progress !== undefined) await showPhase(api, seen, progress);
    if (options.onLine !== undefined && seen.elements === undefined) {
      reading = await readOn(api, seen, options, reading);
    }
    if (seen.state === "ended") await reading?.finished();
    if (seen.state === "ended" || options.until?.(seen)) return seen;
  }
  return undefined;
}

/**
 * Reads every attempt that has begun since the one that is read. One that fails at once is over before we see it run;
 * what it wrote is read all the same, in order.
 */
async function readOn(
  api: Api,
  job: Job,
  options: FollowOptions,
  reading: AttemptLog | undefined,
): Promise<AttemptLog | undefined> {
  const newest = newestBegun(job);
  const first = reading === undefined ? (options.fromAttempt ?? Math.max(1, newest)) : reading.attempt + 1;
  const over = (attempt: number) => attempt < job.attempt || job.state === "ended";
  let current = reading;
  for (let attempt = first; attempt <= newest; attempt += 1) {
    await current?.finished();
    if (job.state !== "ended") options.progress?.rest();
    current = new AttemptLog(api, job, attempt, options);
    if (over(attempt)) current.over();
  }
  if (current !== undefined && over(current.attempt)) current.over();
  return current;
}

/** The newest attempt that can have written something; 0 = none. */
function newestBegun({ state, attempt, attempts }: Job): number {
  // A waiting job is counted as the attempt that it will be.
  if (state === "waiting" || state === "starting") return attempt - 1;
  return state === "ended" ? (attempts?.at(-1)?.attempt ?? attempt) : attempt;
}

// A log that was still being read when the attempt ended gets this long to say the rest.
const afterEndMs = 3_000;

/** The log of one attempt, read until the attempt is over and all of it has been shown. */
class AttemptLog {
  readonly attempt: number;
  readonly #done: Promise<void>;
  readonly #hurry = new AbortController();
  #over = false;

  constructor(api: Api, job: Job, attempt: number, options: FollowOptions) {
    this.attempt = attempt;
    this.#done = this.#read(api, job, options);
    this.#done.catch(() => {}); // reported by finished()
  }

  /** Nothing more will be written. */
  over(): void {
    if (this.#over) return;
    this.#over = true;
    setTimeout(() => this.#hurry.abort(), afterEndMs).unref();
  }

  async finished(): Promise<void> {
    this.over();
    await this.#done;
  }

  async #read(api: Api, job: Job, { signal, onLine, logs }: FollowOptions): Promise<void> {
    const position = new LogPosition();
    const ranks = logs?.rank === undefined ? gangSize(job) : 1;
    for (let tries = 0; !signal.aborted; tries += 1) {
      // Asked before reading: a reading that began after the end has seen everything.
      const complete = this.#over;
      const since = position.since(ranks);
      const { tail, ...others } = logs ?? {};
      const query = {
        ...others,
        ...(since === undefined ? tail !== undefined && { tail } : { since }),
        attempt: this.attempt,
        ...(!complete && { follow: true }),
      };
      position.begin();
      try {
        const stop = complete ? signal : AbortSignal.any([signal, this.#hurry.signal]);
        for await (const entry of readLogLines(api, job.id, query, stop)) {
          tries = 0;
          if (position.take(entry)) await onLine?.(entry, job);
        }
        if (complete) return;
      } catch (error) {
        if (signal.aborted) return;
        if (!this.#hurry.signal.aborted && outageOf(error) === undefined) {
          if (!(error instanceof Failure) || error.exitCode !== exit.notFound) throw error;
          if (complete) return; // it never wrote anything
        } else if (complete && tries > 3) throw error;
      }
      const pauseMs = this.#over ? 0 : Math.min(2_000, 100 * 2 ** Math.min(tries, 6));
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function showPhase(api: Api, job: Job, progress: Progress): Promise<void> {
  const again = job.attempt > 1 ? `attempt ${job.attempt}` : "";
  if (job.elements !== undefined) progress.phase(phaseName(job), elementsText(job.elements));
  else if (job.state === "waiting") progress.phase("queue", joined(again, await waitText(api, job)));
  else if (job.state !== "ended") {
    const nodes = nodesText(job);
    progress.phase(phaseName(job), joined(again, nodes === "" ? "" : `on ${nodes}`));
  }
}

function phaseName({ state }: Job): string {
  return state === "waiting" ? "queue" : state;
}

/** Why the job waits, and how many are before it. */
async function waitText(api: Api, job: Job): Promise<string> {
  if (job.held) return `held; tess release ${job.name} lets it start`;
  const explained = await api.call("explainJob", { at: { job: job.id } }).catch(() => undefined);
  const reason = explained?.reason ?? job.reason;
  const position = explained?.position === undefined ? "" : `position ${explained.position}`;
  return joined(position, reason === undefined ? "" : `${reason.kind}: ${reason.detail}`);
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}
