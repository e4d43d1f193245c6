import { Slices } from "../../flow/slices.ts";
import type { Change, Source } from "./source.ts";

/** A list that is compared as a whole: simple and right whatever event changed it. */
export class DiffSource<Item extends object> implements Source {
  readonly #list: () => Iterable<Item>;
  readonly #keyOf: (item: Item) => string;
  readonly #limit: number;
  #told = new Map<string, number>();
  everyMs = quickMs;

  constructor(list: () => Iterable<Item>, keyOf: (item: Item) => string, limit: number) {
    this.#list = list;
    this.#keyOf = keyOf;
    this.#limit = limit;
  }

  async sync(): Promise<readonly object[]> {
    const first: Item[] = [];
    const told = new Map<string, number>();
    const slices = new Slices();
    for (const item of this.#list()) {
      if (slices.isOver) await slices.next();
      told.set(this.#keyOf(item), digest(JSON.stringify(item)));
      if (first.length < this.#limit) first.push(item);
    }
    this.#told = told;
    return first;
  }

  async changes(): Promise<readonly Change[]> {
    const slices = new Slices();
    const changes: Change[] = [];
    const seen = new Map<string, number>();
    for (const item of this.#list()) {
      if (slices.isOver) await slices.next();
      const key = this.#keyOf(item);
      const now = digest(JSON.stringify(item));
      if (this.#told.get(key) !== now) changes.push({ event: "put", item });
      seen.set(key, now);
    }
    for (const id of this.#told.keys()) if (!seen.has(id)) changes.push({ event: "delete", id });
    this.#told = seen;
    // At most a twentieth of the time goes into looking.
    this.everyMs = Math.max(quickMs, 20 * slices.spentMs);
    return changes;
  }
}

export const quickMs = 100;

/** 53 bits of a text, quickly; only ever compared with earlier ones of the same item. */
function digest(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
