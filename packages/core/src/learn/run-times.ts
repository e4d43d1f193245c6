import type { Job, JobSpec } from "../model/job.ts";
import { plainName } from "../model/job.ts";
import { type Instant, second } from "../model/units.ts";

/** The fields by which jobs are taken to be similar: account, user and name. */
type RunTimeKey = Pick<Job, "account" | "user" | "spec">;

/** How long ended jobs of one user, account and name ran, in seconds, oldest first. */
export type Spans = readonly number[];

/** The most run times kept per name, and the most names; the name whose last job ended first is dropped first. */
const spansKept = 20;
const namesKept = 10_000;
/** Fewer run times than this predict nothing. */
const spansToTell = 3;
/** A job is taken to end when four of five similar ones have ended [B1]. */
const usualPart = 0.8;

/** Run times of ended jobs, by user, account and name. A job without a name is similar to no other. */
export class RunTimes {
  /** By key; the one whose last job ended first comes first. */
  readonly #spans = new Map<string, number[]>();

  /** Keeps the run time of a job that ended by itself. */
  note(job: Pick<Job, "startedAt"> & RunTimeKey, at: Instant): void {
    if (job.startedAt === 0 || job.spec.name === plainName) return;
    const key = keyOf(job);
    const spans = this.#spans.get(key) ?? [];
    this.#spans.delete(key);
    this.#spans.set(key, spans);
    if (spans.push(Math.max(1, Math.ceil((at - job.startedAt) / second))) > spansKept) spans.shift();
    if (this.#spans.size > namesKept) this.#spans.delete(this.#spans.keys().next().value!);
  }

  /** The run times of similar jobs; empty if there are too few. */
  of(job: RunTimeKey): Spans {
    const spans = this.#spans.size === 0 ? undefined : this.#spans.get(keyOf(job));
    return spans === undefined || spans.length < spansToTell ? none : spans;
  }

  /** The time within which four of five similar jobs ended; undefined if there are too few. */
  usualMs(job: RunTimeKey): number | undefined {
    return quantileBeyond(this.of(job), 0, usualPart);
  }

  image(): [string, number[]][] {
    return [...this.#spans];
  }

  restore(image: readonly (readonly [string, readonly number[]])[]): void {
    for (const [key, spans] of image) this.#spans.set(key, [...spans]);
  }
}

const none: Spans = [];

/** The quantile `part` of the run times above `ranMs`, in ms; undefined if there are none. */
export function quantileBeyond(spans: Spans, ranMs: number, part: number): number | undefined {
  if (spans.length === 0) return undefined;
  const longer = spans.filter((each) => each * second > ranMs).sort((a, b) => a - b);
  const span = longer[Math.ceil(part * longer.length) - 1];
  return span === undefined ? undefined : span * second;
}

/**
 * The predicted total run time of a job [B1]: declared by its user, else that of similar jobs; undefined if neither is
 * known. A job that has run longer needs half as long again, as often as necessary, but never longer than its limit.
 */
export function thoughtMs(
  { maxTimeMs, expectedMs }: Pick<JobSpec, "maxTimeMs" | "expectedMs">,
  usualMs: number | undefined,
  ranMs: number,
): number | undefined {
  if (expectedMs === undefined && maxTimeMs !== undefined) return maxTimeMs;
  let ms = expectedMs ?? usualMs;
  if (ms === undefined) return undefined;
  while (ms <= ranMs) ms += Math.ceil(ms / 2);
  return Math.min(ms, maxTimeMs ?? ms);
}

function keyOf({ account, user, spec }: RunTimeKey): string {
  return `${account}/${user}/${spec.name}`;
}
