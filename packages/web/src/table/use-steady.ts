import { useState } from "react";
import { useTick } from "../design/tick.ts";
import { type Steadied, steadied, taken } from "./steady-rows.ts";

interface SteadyList<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** What list it is; another one is shown at once. */
  readonly about: string;
  /** False where more of the list can be read. */
  readonly isWhole: boolean;
  /** False as long as what is there is what was read before the page was opened. */
  readonly isRead: boolean;
  /** Whether rows may move now; `isNew`: the list has only just been opened. */
  readonly mayMove: (isNew: boolean) => boolean;
}

const lookEveryMs = 5_000;

/**
 * A list whose rows do not move while somebody may be reading it: what is new waits until `take` is called, or until
 * nobody is there.
 */
export function useSteady<Item>({ items, keyOf, about, isWhole, isRead, mayMove }: SteadyList<Item>) {
  useTick(lookEveryMs);
  const [held, setHeld] = useState(() => ({ about, items, isWhole, isNew: true, ...taken(items, keyOf) }));
  const take = (isNew = held.isNew) => setHeld({ about, items, isWhole, isNew, ...taken(items, keyOf) });
  const isChanged = held.items !== items || held.isWhole !== isWhole;
  const isWaiting = held.fresh.length > 0 || held.rows.some(({ isGone }) => isGone);
  if (held.about !== about) take(true);
  else if ((isChanged && held.rows.length === 0) || ((isChanged || isWaiting) && mayMove(held.isNew))) take();
  else if (isChanged) setHeld({ ...held, items, isWhole, ...steadied(items, keyOf, held.rows, isWhole) });
  else if (held.isNew && isRead) setHeld({ ...held, isNew: false });
  const list: Steadied<Item> = held;
  return { list, take: () => take() };
}
