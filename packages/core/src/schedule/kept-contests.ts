import type { Candidates } from "../queue/candidates.ts";
import { Contest } from "../queue/contest.ts";
import type { ShapeQueue } from "../state/indexes/waiting-group.ts";
import type { State } from "../state/state.ts";

/** How many contests are kept; the same few sets of shapes come again and again. */
const keptMax = 32;

/** Contests for seats of some shapes. Saves ranking all accounts again, because from pass to pass few of them change. */
export class KeptContests {
  /** Last used last. */
  #contests: Contest[] = [];
  readonly #candidates: Candidates;

  constructor(candidates: Candidates) {
    this.#candidates = candidates;
  }

  of(state: State, queues: readonly ShapeQueue[]): Contest {
    // Past usage fades with time alone, so the ranks of the last pass would be wrong.
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
