import type { Candidates } from "../queue/candidates.ts";
import { Contest } from "../queue/order.ts";
import type { State } from "../state/state.ts";
import type { ShapeQueue } from "../state/waiting-group.ts";

/** More contests are not kept; those for the same shapes come again and again. */
const keptMax = 32;

/** Contests for seats of some shapes. Saves ranking all accounts again: from pass to pass most standings still hold. */
export class KeptContests {
  /** Last used last. */
  #contests: Contest[] = [];
  readonly #candidates: Candidates;

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
  }

  of(state: State, queues: readonly ShapeQueue[]): Contest {
    // Past usage fades with time alone, so no standing would hold.
    if (queues.length === 0 || state.history.size > 0) return new Contest(state, this.#candidates, queues);
    const at = this.#contests.findIndex((contest) => contest.isFor(queues));
    const [contest = new Contest(state, this.#candidates, queues)] = at < 0 ? [] : this.#contests.splice(at, 1);
    this.#contests.push(contest);
    if (this.#contests.length > keptMax) this.#contests.shift();
    return contest;
  }

  forget(): void {
    this.#contests = [];
  }
}
