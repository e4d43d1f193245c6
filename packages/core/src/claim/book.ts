import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { type CostKind, Costs } from "./costs.ts";
import type { ClaimNeed } from "./site.ts";

/** How many nodes the claims of one batch may look at: about as many as take a second. Callers wait while it is decided. */
const looksMax = 200_000;
const postponedMs = 100;
/** How much those may look at whose turn it is in one batch: about as much as takes a millisecond. */
const turnLooksMax = 128;
/** How long others have to wait for their turn: so little is lost by it that a hundredth of the time must do. */
const betweenTurnsMs = 250;
/** How many have their turn before it is asked again whether there is time. */
const turnsAtOnce = 4;

/**
 * What the claims of one batch have in common: what is worked out once for all claimants who need the same, and how much
 * they have looked at. Who comes when that is enough is looked at again a little later.
 */
export class Book {
  readonly #state: State;
  readonly #now: Instant;
  readonly #costs = new Map<string, Costs>();
  #looks = 0;
  readonly #postponed: Job[] = [];

  constructor(state: State, now: Instant) {
    this.#state = state;
    this.#now = now;
  }

  costsOf(need: ClaimNeed, kind: CostKind): Costs {
    const { model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB, part } = need;
    const whole = `${model}/${gpus}/${gpuMemoryMiB}/${cpusMilli}/${memoryMiB}/${kind}`;
    const key = part === undefined ? whole : `${whole}/${JSON.stringify(part)}`;
    const known = this.#costs.get(key);
    if (known?.catchUp() === true) return known;
    // Who may not be on one node differs between claimants and makes nothing cheaper.
    const bare = { model, gpus, gpuMemoryMiB, cpusMilli, memoryMiB, part };
    const costs = new Costs(this.#state, bare, this.#now, kind);
    this.#costs.set(key, costs);
    return costs;
  }

  /** How many more who wait may be given a turn to claim. */
  get turns(): number {
    return this.#state.waiting.turnsAreDue && this.#looks < turnLooksMax ? turnsAtOnce : 0;
  }

  /** A claim looks at so many nodes or jobs. */
  look(count = 1): void {
    this.#looks += count;
  }

  /** Whether there is time for another claim in this batch. */
  allows(job: Job): boolean {
    this.#looks++;
    if (this.#looks < looksMax) return true;
    this.#postponed.push(job);
    return false;
  }

  /** Has those looked at again for whom there was no time. */
  postpone(): void {
    const { waiting } = this.#state;
    waiting.turnsAreDue = false;
    if (waiting.hasTurns) this.#state.timers.addOnce({ at: this.#now + betweenTurnsMs, kind: "turns", subject: 0 });
    const job = this.#postponed.find((each) => this.#state.waiting.has(each));
    if (job === undefined) return;
    this.#state.timers.addOnce({ at: this.#now + postponedMs, kind: "exposed", subject: job.no }); // it wakes everyone
  }
}
