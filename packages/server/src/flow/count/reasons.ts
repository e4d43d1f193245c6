import {
  type Instant,
  type Job,
  ownReason,
  type ReadonlyState,
  type ReasonKind,
  reasonFor,
  wishOf,
} from "@tessera/core";
import type { ControlPlane } from "../control.ts";
import { Slices } from "../slices.ts";

interface Known {
  readonly kind: ReasonKind;
  readonly until: number;
}

/** A reason is kept for this many times as long as it took to find, so that finding them never fills a thread. */
const keptTimes = 2_000;
const keptMsMax = 60_000;

/**
 * Why jobs wait, for counting and filtering very many of them: what holds of one job of an account is taken to hold of
 * those of the same account that ask for the same. Each job as it is shown has its own reason.
 */
export class Reasons {
  readonly #control: Pick<ControlPlane, "state" | "now">;
  readonly #known = new Map<string, Known>();
  #missing = new Map<string, Job>();
  #finding = false;

  constructor(control: Pick<ControlPlane, "state" | "now">) {
    this.#control = control;
  }

  /** Found now where it is not known. */
  kindOf(job: Job): ReasonKind {
    return this.known(job) ?? this.#find(keyOf(this.#control.state, job), job);
  }

  /** Undefined where nothing is known yet; it is found meanwhile. */
  known(job: Job): ReasonKind | undefined {
    const { state } = this.#control;
    const own = ownReason(state, job, this.#control.now());
    if (own !== undefined) return own.kind;
    const key = keyOf(state, job);
    const known = this.#known.get(key);
    if (known === undefined || performance.now() > known.until) this.#missing.set(key, job);
    return known?.kind;
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
    for (const [key, { no }] of missing) {
      if (slices.isOver) await slices.next();
      const job = this.#control.state.jobs.get(no);
      if (job?.state === "waiting") this.#find(key, job);
    }
    this.#forget();
    this.#finding = false;
  }

  #find(key: string, job: Job): ReasonKind {
    const began = performance.now();
    const now: Instant = this.#control.now();
    const { kind } = reasonFor(this.#control.state, job, now);
    const tookMs = performance.now() - began;
    this.#known.set(key, { kind, until: performance.now() + Math.min(keptMsMax, keptTimes * tookMs) });
    return kind;
  }

  /** What was not asked for during a while is of jobs that wait no longer. */
  #forget(): void {
    const oldest = performance.now() - 2 * keptMsMax;
    for (const [key, { until }] of this.#known) if (until < oldest) this.#known.delete(key);
  }
}

function keyOf(state: ReadonlyState, job: Job): string {
  return `${job.account} ${job.spec.priority} ${wishOf(state, job).shape.key}`;
}
