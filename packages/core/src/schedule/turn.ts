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
  /** Something changed in this batch, by events or by time. */
  #changed = false;
  /** The same since the first group had its turn. */
  #changedSince = false;
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

  /** Whether groups that find no seats may be planned although they have no turn; once in a turn. */
  takeMayPlan(): boolean {
    const may = this.#mayPlan;
    this.#mayPlan = false;
    return may;
  }

  /** Something changed: groups that have had their turn may be able to claim now. */
  noteChange(): void {
    this.#changed = true;
    if (this.#left !== undefined) this.#changedSince = true;
  }

  /** The fact to record: how far the round has come, or that another one follows; undefined = neither has changed. */
  end(): TurnTaken | undefined {
    const { waiting } = this.#state;
    if (!waiting.isLong) return undefined;
    const { round } = waiting;
    if (!this.isDue) {
      return this.#changed && round.changedAt === undefined ? this.#taken(round.upTo, true) : undefined;
    }
    const isOver = waiting.groupsAfter(this.#upTo, 1).length === 0;
    // A round that begins in this batch covers what changed before it.
    const wasUnderWay = round.upTo > 0 && (this.#changed || round.changedAt !== undefined);
    return this.#taken(isOver ? 0 : this.#upTo, wasUnderWay || this.#changedSince);
  }

  #taken(upTo: number, again: boolean): TurnTaken {
    return { kind: "turn-taken", v: 1, at: this.#now, upTo, again };
  }
}
