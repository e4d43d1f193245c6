import type { Account } from "../model/account.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Demand } from "../quota/demand.ts";
import { isWithin } from "../quota/guarantee.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { Contestant, SharedFloor } from "./contestant.ts";

/**
 * By floor: the contestants whose next job it would hold although it is the floor of an account above. When a job
 * starts, the floor may be full, and these contestants would borrow instead.
 */
export class FloorSharers {
  readonly #byFloor = new Map<AccountNo, Map<Demand, Set<Contestant>>>();

  get isEmpty(): boolean {
    return this.#byFloor.size === 0;
  }

  /** Sets the floor that a contestant stands on; undefined = its own account's, or none. */
  note(contestant: Contestant, inside: SharedFloor | undefined): void {
    const { inside: before } = contestant;
    if (before?.floor === inside?.floor && before?.demand === inside?.demand) return;
    if (before !== undefined) this.#sharersOf(before).delete(contestant);
    if (inside !== undefined) this.#sharersOf(inside).add(contestant);
    contestant.inside = inside;
  }

  /** The contestants whose next job the floor of an account no longer holds. */
  beyond(state: ReadonlyState, account: Account): Contestant[] {
    const found: Contestant[] = [];
    for (const [demand, contestants] of this.#byFloor.get(account.no) ?? [])
      if (!isWithin(state, account, state.usage[account.no]!, demand)) found.push(...contestants);
    return found;
  }

  #sharersOf({ floor, demand }: SharedFloor): Set<Contestant> {
    let byDemand = this.#byFloor.get(floor);
    if (byDemand === undefined) {
      byDemand = new Map();
      this.#byFloor.set(floor, byDemand);
    }
    let contestants = byDemand.get(demand);
    if (contestants === undefined) {
      contestants = new Set();
      byDemand.set(demand, contestants);
    }
    return contestants;
  }
}
