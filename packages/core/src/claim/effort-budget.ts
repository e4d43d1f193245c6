import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { type FullMarks, noMarks } from "../place/full-marks.ts";
import type { State } from "../state/state.ts";
import { type CostKind, Costs } from "./costs.ts";
import type { ClaimNeed } from "./site.ts";

/** How many nodes and jobs the claims of one batch may look at: about a second's worth. Callers wait meanwhile. */
const looksMax = 200_000;
/** The same for groups that have their turn [B6]: about a millisecond's worth. */
const turnLooksMax = 128;
/** How many groups have their turn before it is asked again whether there is time. */
const turnsAtOnce = 4;

/** How much the claims of one batch have looked at, and what was worked out once for all claimants with the same need. */
export class EffortBudget {
  readonly #state: State;
  readonly #now: Instant;
  readonly full: FullMarks;
  readonly #costs = new Map<string, Costs>();
  #looks = 0;
  /** Jobs for whose claim no time was left. */
  readonly postponed: Job[] = [];

  constructor(state: State, now: Instant, full: FullMarks = noMarks) {
    this.#state = state;
    this.#now = now;
    this.full = full;
  }

  costsOf(need: ClaimNeed, kind: CostKind): Costs {
    const { model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB, part } = need;
    const whole = `${model}/${gpus}/${gpuMemoryMiB}/${cpusMilli}/${memoryMiB}/${kind}`;
    const key = part === undefined ? whole : `${whole}/${JSON.stringify(part)}`;
    const known = this.#costs.get(key);
    if (known?.catchUp() === true) return known;
    // Which nodes are forbidden differs between claimants, and makes none of them cheaper.
    const bare = { model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB, part };
    const costs = new Costs(this.#state, bare, this.#now, kind);
    this.#costs.set(key, costs);
    return costs;
  }

  /** How many more groups may have their turn. */
  get turns(): number {
    return this.#looks < turnLooksMax ? turnsAtOnce : 0;
  }

  /** A claim has looked at this many nodes or jobs. */
  spend(looks = 1): void {
    this.#looks += looks;
  }

  /** Whether there is time for the claim of a job in this batch. */
  allows(job: Job): boolean {
    this.#looks++;
    if (this.#looks < looksMax) return true;
    this.postponed.push(job);
    return false;
  }
}
