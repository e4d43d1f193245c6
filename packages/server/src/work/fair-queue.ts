import { Outage } from "../flow/control.ts";

/** The queue holds no more: of this caller, or of all together. */
export class QueueFull extends Outage {
  readonly ofCaller: boolean;
  constructor(ofCaller: boolean) {
    super(ofCaller ? "this caller has too much work waiting" : "too much work is waiting");
    this.ofCaller = ofCaller;
  }
}

export interface QueueLimits {
  readonly perCaller: number;
  readonly all: number;
}

interface Waiting<Item> {
  readonly caller: string;
  readonly item: Item;
}

/**
 * What waits for a thread. Callers take turns, and each has at most one thing under way: one that asks a lot waits for
 * itself, not others for it.
 */
export class FairQueue<Item> {
  readonly #limits: QueueLimits;
  /** In the order of turns: a caller that had one goes to the end. */
  readonly #waiting = new Map<string, Item[]>();
  readonly #busy = new Set<string>();
  #size = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Throws QueueFull. */
  add(caller: string, item: Item): void {
    const own = this.#waiting.get(caller) ?? [];
    if (own.length >= this.#limits.perCaller) throw new QueueFull(true);
    if (this.#size >= this.#limits.all) throw new QueueFull(false);
    own.push(item);
    this.#waiting.set(caller, own);
    this.#size++;
  }

  /** The next whose caller has nothing under way; `done` says when it no longer is. */
  take(): Waiting<Item> | undefined {
    for (const [caller, own] of this.#waiting) {
      if (this.#busy.has(caller)) continue;
      const item = own.shift()!;
      this.#waiting.delete(caller);
      if (own.length > 0) this.#waiting.set(caller, own);
      this.#busy.add(caller);
      this.#size--;
      return { caller, item };
    }
    return undefined;
  }

  done(caller: string): void {
    this.#busy.delete(caller);
  }

  /** Takes out what is not wanted any more. */
  drop(caller: string, item: Item): boolean {
    const own = this.#waiting.get(caller);
    const at = own?.indexOf(item) ?? -1;
    if (own === undefined || at < 0) return false;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(caller);
    this.#size--;
    return true;
  }
}
