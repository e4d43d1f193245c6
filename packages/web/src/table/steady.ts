import { useMemo, useState } from "react";

/** The rows in the order in which they are shown, and how many have come that are not shown yet. */
export function steadied<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  shown: readonly string[],
): { rows: Item[]; fresh: number } {
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  const rows = shown.flatMap((key) => byKey.get(key) ?? []);
  const known = new Set(shown);
  // What comes after the last row that is known is the next page, which nothing jumps for.
  const lastKnown = items.findLastIndex((item) => known.has(keyOf(item)));
  const fresh = items.filter((item, i) => i < lastKnown && !known.has(keyOf(item))).length;
  return { rows: [...rows, ...items.slice(lastKnown + 1)], fresh };
}

/**
 * A list that does not move under the eye: what is new waits until `showNew` is called, or until nobody looks closely
 * (`free`). `about` says what list it is; another one is shown at once.
 */
export function useSteady<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  free: boolean,
  about: string,
): { rows: readonly Item[]; fresh: number; showNew: () => void } {
  const [held, setHeld] = useState<{ about: string; keys: readonly string[] }>({ about, keys: [] });
  const keys = useMemo(() => items.map(keyOf), [items, keyOf]);
  const isHeld = !free && held.about === about && held.keys.length > 0;
  if (!isHeld && (held.about !== about || held.keys !== keys)) setHeld({ about, keys });
  const { rows, fresh } = useMemo(
    () => (isHeld ? steadied(items, keyOf, held.keys) : { rows: items, fresh: 0 }),
    [isHeld, items, keyOf, held.keys],
  );
  return { rows, fresh, showNew: () => setHeld({ about, keys }) };
}
