import type { Placed } from "../collections/heap.ts";
import type { Rivals, WaitingGroup } from "../state/indexes/waiting-group.ts";
import { RivalOrder } from "./rival-order.ts";

/** A waiting group in the scheduler's passes. */
export class Candidate implements Placed {
  readonly group: WaitingGroup;
  /** Its place in a heap of candidates. */
  place = -1;
  /** The last pass in which it was tried for free seats and for claims. */
  pass = 0;
  /** In this pass it is tried for free seats only; it may claim when its turn comes [B6]. */
  seatsOnly = false;
  /** Free seats were refused to it because a start there would delay a planned one. */
  delayed = false;

  constructor(group: WaitingGroup) {
    this.group = group;
  }
}

/** The candidates of all groups, each made when it is first needed. */
export class Candidates {
  /** By the slot of their group. */
  readonly #bySlot: (Candidate | undefined)[] = [];
  readonly #orders = new Map<Rivals, RivalOrder>();
  #pass = 0;

  /** The number of a new pass. */
  nextPass(): number {
    return ++this.#pass;
  }

  of(group: WaitingGroup): Candidate {
    const { slot } = group;
    while (this.#bySlot.length <= slot) this.#bySlot.push(undefined);
    let candidate = this.#bySlot[slot];
    if (candidate?.group !== group) {
      candidate = new Candidate(group);
      this.#bySlot[slot] = candidate;
    }
    return candidate;
  }

  orderOf(rivals: Rivals): RivalOrder {
    let order = this.#orders.get(rivals);
    if (order === undefined) {
      if (this.#orders.size >= ordersMax) this.#orders.clear();
      order = new RivalOrder(rivals);
      this.#orders.set(rivals, order);
    }
    return order;
  }
}

/** Beyond this many orders all are dropped: they only save time. */
const ordersMax = 65_536;
