import {
  type AlikeReason,
  alikeKey,
  alikeReason,
  type Job,
  type JobNo,
  kindAmong,
  ownReason,
  type ReasonKind,
  type Rooms,
} from "@tessera/core";
import type { ControlPlane } from "../control.ts";
import { Slices } from "../slices.ts";

interface Known {
  readonly reason: AlikeReason;
  readonly tookMs: number;
  readonly until: number;
}

/** An entry lives this multiple of the time it took to compute, and at most a minute. */
const keptTimes = 2_000;
const keptMsMax = 60_000;
/** If computing all entries takes long, they live longer, so that it takes at most a tenth of a thread. */
const restTimes = 10;
/** The longest life of an entry. */
const restMsMax = 600_000;

/**
 * A cache of waiting reasons, for counting and filtering many jobs: jobs that are alike share an entry. A job that is
 * shown gets its own reason. Entries expire after `#keptMs`, however they are asked for.
 */
export class Reasons {
  readonly #control: Pick<ControlPlane, "state" | "now">;
  /** In the order in which they were found. */
  readonly #known = new Map<string, Known>();
  /** How long finding all that are known took. */
  #allTookMs = 0;
  #missing = new Map<string, JobNo>();
  readonly #rooms: Rooms | undefined;
  #finding = false;

  /** With `rooms`, which hold only where the state does not change, a room is counted once for all jobs. */
  constructor(control: Pick<ControlPlane, "state" | "now">, rooms?: Rooms) {
    this.#control = control;
    this.#rooms = rooms;
  }

  /** How many reasons are remembered. */
  get size(): number {
    return this.#known.size;
  }

  /** Found now where it is not known or too old. */
  kindOf(job: Job): ReasonKind {
    const { kind, isFresh, key } = this.#look(job);
    return kind !== undefined && isFresh ? kind : this.#find(key, job);
  }

  /** What is known, even if it is too old; `settle` finds it again, and what is not known yet. */
  known(job: Job): ReasonKind | undefined {
    const { kind, isFresh, key } = this.#look(job);
    if (!isFresh) this.#missing.set(key, job.no);
    return kind;
  }

  /** A reason of the job's own, which is always fresh, or what is known of those alike. */
  #look(job: Job): { readonly kind: ReasonKind | undefined; readonly isFresh: boolean; readonly key: string } {
    const { state } = this.#control;
    const own = ownReason(state, job, this.#control.now());
    if (own !== undefined) return { kind: own.kind, isFresh: true, key: "" };
    const key = alikeKey(state, job);
    const known = this.#known.get(key);
    return {
      kind: known && kindAmong(known.reason, job),
      isFresh: known !== undefined && performance.now() <= known.until,
      key,
    };
  }

  /** Finds what was asked for and not known, with pauses; what takes longer than `msMax` goes on in the background. */
  async settle(msMax: number): Promise<void> {
    if (this.#missing.size === 0 || this.#finding) return;
    const finding = this.#findMissing();
    await Promise.race([finding, new Promise((resolve) => setTimeout(resolve, msMax).unref())]);
  }

  async #findMissing(): Promise<void> {
    this.#finding = true;
    const slices = new Slices();
    const missing = this.#missing;
    this.#missing = new Map();
    try {
      for (const [key, no] of missing) {
        if (slices.isOver) await slices.next();
        const job = this.#control.state.jobs.get(no);
        if (job?.state === "waiting") this.#find(key, job);
      }
    } finally {
      this.#finding = false;
    }
  }

  #find(key: string, job: Job): ReasonKind {
    const began = performance.now();
    const { state } = this.#control;
    const reason = alikeReason(state, job, this.#control.now(), this.#rooms);
    const foundAt = performance.now();
    const tookMs = foundAt - began;
    this.#drop(key);
    this.#allTookMs += tookMs;
    this.#known.set(key, { reason, tookMs, until: foundAt + this.#keptMs(tookMs) });
    this.#forget(foundAt);
    return kindAmong(reason, job);
  }

  #keptMs(tookMs: number): number {
    const ownMs = Math.min(keptMsMax, keptTimes * tookMs);
    const ofAllMs = Math.min(restMsMax, restTimes * this.#allTookMs);
    return Math.max(ownMs, ofAllMs);
  }

  /** Drops entries not asked for recently: their jobs no longer wait. The oldest come first, so the loop ends early. */
  #forget(now: number): void {
    const oldest = now - 2 * keptMsMax;
    for (const [key, { until }] of this.#known) {
      if (until >= oldest) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#allTookMs -= this.#known.get(key)?.tookMs ?? 0;
    this.#known.delete(key);
  }
}
