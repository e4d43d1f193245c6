import type { TurnTaken } from "../journal/event.ts";
import type { Instant } from "../model/units.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { State } from "../state/state.ts";

/** How many groups are looked up at once. */
const foundAtOnce = 64;

/**
 * The turn of one batch [B6]. Where very many groups wait, a change wakes only those that may find free seats or claim by
 * a guarantee; the others take turns, in the order of their first jobs, so that the time of a decision does not grow with
 * the queue. How far a round has come is a fact of the journal: after a restart or a fail-over it goes on from there.
 */
export class Turn {
  readonly #state: State;
  readonly #now: Instant;
  /** Whether this batch is the turn of some groups. */
  readonly isDue: boolean;
  /** Another round follows: something changed before this one began, or since. */
  #again: boolean;
  /** The next groups, last first; undefined = no group has had its turn yet. */
  #left: WaitingGroup[] | undefined;
  #upTo: number;
  #mayPlan: boolean;

  constructor(state: State, now: Instant) {
    this.#state = state;
    this.#now = now;
    const { waiting } = state;
    this.isDue = waiting.isLong && waiting.turnAt !== undefined && waiting.turnAt <= now;
    this.#upTo = waiting.round.upTo;
    this.#again = this.#upTo > 0 && waiting.round.changedAt !== undefined;
    this.#mayPlan = this.isDue;
  }

  /** The next groups whose turn it is. */
  take(count: number): readonly WaitingGroup[] {
    if (!this.isDue || count === 0) return [];
    if (this.#left === undefined || this.#left.length === 0)
      this.#left = this.#state.waiting.groupsAfter(this.#upTo, foundAtOnce).reverse();
    const taken = this.#left.splice(-count).filter((group) => group.no > this.#upTo && group.jobs.length > 0);
    for (const { no } of taken) this.#upTo = Math.max(this.#upTo, no);
    return taken;
  }

  /** Whether groups without a turn may be planned in this pass: true once in a turn. */
  takeMayPlan(): boolean {
    const may = this.#mayPlan;
    this.#mayPlan = false;
    return may;
  }

  /** Something changed: groups that had their turn may be able to claim now, so another round follows. */
  noteChange(): void {
    if (this.#left !== undefined) this.#again = true;
  }

  /** The event that records the turn; undefined where there was none. */
  end(): TurnTaken | undefined {
    if (!this.isDue || !this.#state.waiting.isLong) return undefined;
    const isOver = this.#state.waiting.groupsAfter(this.#upTo, 1).length === 0;
    const upTo = isOver ? 0 : this.#upTo;
    return { kind: "turn-taken", v: 1, at: this.#now, upTo, again: this.#again };
  }
}
