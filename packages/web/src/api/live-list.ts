/** Keeps a watched list up to date from its first sync and its changes, however they arrive. */
export class LiveList<Item extends object> {
  readonly #keyOf: (item: Item) => string;
  readonly #grows: boolean;
  readonly #byKey = new Map<string, Item>();
  #items: readonly Item[] | undefined;
  /** What was deleted since the sync: the rest of a long list is read meanwhile, and may still have it. */
  readonly #deleted = new Set<string>();
  #synced = false;

  /** A list that only grows has its newest item first, in its first sync as after each change. */
  constructor(keyOf: (item: Item) => string, grows = false) {
    this.#keyOf = keyOf;
    this.#grows = grows;
  }

  sync(items: readonly Item[]): void {
    this.#byKey.clear();
    this.#deleted.clear();
    for (const item of this.#inOrder(items)) this.#byKey.set(this.#keyOf(item), item);
    this.#synced = true;
    this.#items = undefined;
  }

  /** The rest of a list that is longer than one page; items from the stream are newer. */
  addMissing(items: readonly Item[]): void {
    for (const item of items) {
      const key = this.#keyOf(item);
      if (!this.#byKey.has(key) && !this.#deleted.has(key)) this.#byKey.set(key, item);
    }
    this.#deleted.clear();
    this.#items = undefined;
  }

  put(item: Item): void {
    this.#deleted.delete(this.#keyOf(item));
    this.#byKey.set(this.#keyOf(item), item);
    this.#items = undefined;
  }

  delete(key: string): void {
    this.#deleted.add(key);
    if (this.#byKey.delete(key)) this.#items = undefined;
  }

  /** The same array until something changes; undefined before the first sync. */
  get items(): readonly Item[] | undefined {
    if (!this.#synced) return undefined;
    this.#items ??= this.#inOrder([...this.#byKey.values()]);
    return this.#items;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** From the order in which items are kept, each new one last, to the one in which they are shown, and back. */
  #inOrder(items: readonly Item[]): readonly Item[] {
    return this.#grows ? items.toReversed() : items;
  }
}
