import { Contest } from "../queue/order.ts";
import type { State } from "../state/state.ts";
import type { Shape } from "../state/wish.ts";

/** More are not kept; those for the same shapes come again and again. */
const keptMax = 32;

/** Contests for seats of some shapes: from one pass to the next most of what is known of how accounts stand still holds. */
export class KeptContests {
  /** Last used last. */
  #contests: Contest[] = [];

  of(state: State, shapes: readonly Shape[]): Contest {
    // Past usage fades with time alone.
    if (shapes.length === 0 || state.history.size > 0) return new Contest(state, shapes);
    const at = this.#contests.findIndex((contest) => contest.isFor(shapes));
    const [contest = new Contest(state, shapes)] = at < 0 ? [] : this.#contests.splice(at, 1);
    this.#contests.push(contest);
    if (this.#contests.length > keptMax) this.#contests.shift();
    return contest;
  }

  /** Nodes, accounts or their terms have changed. */
  forget(): void {
    this.#contests = [];
  }
}
