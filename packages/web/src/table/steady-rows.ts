/** A row as it is shown. */
export interface SteadyRow<Item> {
  readonly key: string;
  readonly item: Item;
  /** It is no longer in the list, and stays where it was until the reader asks for the list as it is. */
  readonly isGone: boolean;
}

export interface Steadied<Item> {
  readonly rows: readonly SteadyRow<Item>[];
  /** Keys of rows that have come between those that are shown, and wait. */
  readonly fresh: readonly string[];
}

type KeyOf<Item> = (item: Item) => string;

/** The list as it is. */
export function taken<Item>(items: readonly Item[], keyOf: KeyOf<Item>): Steadied<Item> {
  return { rows: items.map((item) => ({ key: keyOf(item), item, isGone: false })), fresh: [] };
}

/**
 * The rows where they were: a row that changed is shown as it is now, one that left the list stays and is marked, and
 * one that came between others waits. What comes after the last known row is the next page, for which nothing moves.
 */
export function steadied<Item>(
  items: readonly Item[],
  keyOf: KeyOf<Item>,
  shown: readonly SteadyRow<Item>[],
  isWhole: boolean,
): Steadied<Item> {
  const now = new Map(items.map((item) => [keyOf(item), item]));
  const known = new Set(shown.map(({ key }) => key));
  const lastThere = shown.findLastIndex(({ key }) => now.has(key));
  const rows = shown.map((row, i) => {
    const item = now.get(row.key);
    if (item !== undefined) return { key: row.key, item, isGone: false };
    // Rows that came above push the last ones that were read onto a page that is not read again.
    return !isWhole && i > lastThere ? row : { ...row, isGone: true };
  });
  const lastKnown = items.findLastIndex((item) => known.has(keyOf(item)));
  const fresh = items.map(keyOf).slice(0, lastKnown + 1);
  return {
    rows: [...rows, ...taken(lastKnown < 0 && shown.length > 0 ? [] : items.slice(lastKnown + 1), keyOf).rows],
    fresh: (lastKnown < 0 ? items.map(keyOf) : fresh).filter((key) => !known.has(key)),
  };
}

/** What the chip over the list says; empty where nothing waits. */
export function waitingWords<Item>({ rows, fresh }: Steadied<Item>): string {
  const gone = rows.filter(({ isGone }) => isGone).length;
  return [...(fresh.length > 0 ? [`${fresh.length} new`] : []), ...(gone > 0 ? [`${gone} gone`] : [])].join(", ");
}
