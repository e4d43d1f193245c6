import type { Change, Source } from "./source.ts";

/** A list that is compared as a whole: simple and right whatever event changed it. */
export class DiffSource<Item extends object> implements Source {
  readonly #list: () => readonly Item[];
  readonly #keyOf: (item: Item) => string;
  readonly #limit: number;
  #told = new Map<string, number>();
  everyMs = quickMs;

  constructor(list: () => readonly Item[], keyOf: (item: Item) => string, limit: number) {
    this.#list = list;
    this.#keyOf = keyOf;
    this.#limit = limit;
  }

  sync(): readonly object[] {
    const items = this.#list();
    this.#told = new Map(items.map((item) => [this.#keyOf(item), digest(JSON.stringify(item))]));
    return items.slice(0, this.#limit);
  }

  changes(): readonly Change[] {
    const startedAt = performance.now();
    const changes: Change[] = [];
    const seen = new Map<string, number>();
    for (const item of this.#list()) {
      const key = this.#keyOf(item);
      const now = digest(JSON.stringify(item));
      if (this.#told.get(key) !== now) changes.push({ event: "put", item });
      seen.set(key, now);
    }
    for (const id of this.#told.keys()) if (!seen.has(id)) changes.push({ event: "delete", id });
    this.#told = seen;
    // At most a twentieth of the time goes into looking.
    this.everyMs = Math.max(quickMs, 20 * (performance.now() - startedAt));
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
