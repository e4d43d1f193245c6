import type { Job, JobSpec } from "../model/job.ts";
import { plainName } from "../model/job.ts";
import { type Instant, second } from "../model/units.ts";

/** What says to which others a job is compared. */
type RunTimeKey = Pick<Job, "account" | "user" | "spec">;

/** How long ended jobs of one user, account and name ran, in seconds, oldest first. */
export type Spans = readonly number[];

/** So many of each name are remembered, and so many names; those that nothing is heard of are forgotten first. */
const spansKept = 20;
const namesKept = 10_000;
/** Fewer than this tell nothing. */
const spansToTell = 3;
/** What runs is taken to end when four of five like it would have. */
const usualPart = 0.8;

/** How long jobs ran, by user, account and name. A job that was given no name is like no other. */
export class RunTimes {
  /** Whose last end is longest ago first. */
  readonly #spans = new Map<string, number[]>();

  /** A job has come to an end of its own. */
  note(job: Pick<Job, "startedAt"> & RunTimeKey, at: Instant): void {
    if (job.startedAt === 0 || job.spec.name === plainName) return;
    const key = keyOf(job);
    const spans = this.#spans.get(key) ?? [];
    this.#spans.delete(key);
    this.#spans.set(key, spans);
    if (spans.push(Math.max(1, Math.ceil((at - job.startedAt) / second))) > spansKept) spans.shift();
    if (this.#spans.size > namesKept) this.#spans.delete(this.#spans.keys().next().value!);
  }

  /** What is known of jobs like this one; nothing where they are too few. */
  of(job: RunTimeKey): Spans {
    const spans = this.#spans.size === 0 ? undefined : this.#spans.get(keyOf(job));
    return spans === undefined || spans.length < spansToTell ? none : spans;
  }

  /** How long four of five jobs like this one ran at most; undefined where too few tell. */
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

/** The time in ms that this part of them, of those that ran longer than that already, did not exceed. */
export function quantileBeyond(spans: Spans, ranMs: number, part: number): number | undefined {
  if (spans.length === 0) return undefined;
  const longer = spans.filter((each) => each * second > ranMs).sort((a, b) => a - b);
  const span = longer[Math.ceil(part * longer.length) - 1];
  return span === undefined ? undefined : span * second;
}

/**
 * How long a job runs in all by what its user said, else by what those like it did; undefined where neither tells. Who has
 * run longer than was thought needs half as long again, as often as it takes, but never longer than its limit.
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
