import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { type FullMarks, noMarks } from "../place/full-marks.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { HighestShares } from "./highest-shares.ts";
import { type LeastCostOrder, LeastCosts } from "./search/least-costs.ts";
import type { ClaimNeed } from "./seats/site.ts";

/** How many nodes and jobs the claims of one batch may examine: about a second's worth, for which callers wait. */
const examinedMax = 200_000;
/** The same for groups that have their turn [B6]: about a millisecond's worth. */
const turnExaminedMax = 128;
/** How many groups have their turn before the budget is checked again. */
const turnsAtOnce = 4;

/** How much the claims of one batch have examined, and what is worked out once for all of its claimants. */
export class EffortBudget {
  readonly #state: ReadonlyState;
  readonly #now: Instant;
  readonly full: FullMarks;
  #highestShares: HighestShares | undefined;
  #costs: Map<string, LeastCosts> | undefined;
  #examined = 0;
  /** Jobs whose claim did not fit the budget. */
  readonly postponed: Job[] = [];

  constructor(state: ReadonlyState, now: Instant, full: FullMarks = noMarks) {
    this.#state = state;
    this.#now = now;
    this.full = full;
  }

  /** Most batches make no claim, so nothing is prepared for one before it comes. */
  get highestShares(): HighestShares {
    this.#highestShares ??= new HighestShares(this.#state);
    return this.#highestShares;
  }

  /** The nodes in order of what room for one member costs there at least. */
  costsOf(need: ClaimNeed, order: LeastCostOrder): LeastCosts {
    const { model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB, part } = need;
    const whole = `${model}/${gpus}/${gpuMemoryMiB}/${cpusMilli}/${memoryMiB}/${order}`;
    const key = part === undefined ? whole : `${whole}/${JSON.stringify(part)}`;
    this.#costs ??= new Map();
    const known = this.#costs.get(key);
    if (known?.catchUp() === true) return known;
    // Forbidden nodes differ between claimants with the same need. To leave them in makes no node cheaper.
    const bare = { model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB, part };
    const costs = new LeastCosts(this.#state, bare, this.#now, order);
    this.#costs.set(key, costs);
    return costs;
  }

  /** How many more groups may have their turn now. */
  get turns(): number {
    return this.#examined < turnExaminedMax ? turnsAtOnce : 0;
  }

  /** A claim has examined this many nodes or jobs. */
  spend(examined = 1): void {
    this.#examined += examined;
  }

  /** Whether the budget allows the claim of a job in this batch. */
  allows(job: Job): boolean {
    this.#examined++;
    if (this.#examined < examinedMax) return true;
    this.postponed.push(job);
    return false;
  }
}
