import type { Seal } from "../../access/seal.ts";
import { type Denial, deny } from "../answer/problem.ts";

export interface PageAsk {
  readonly limit?: number;
  readonly cursor?: string;
}

export const usualLimit = 100;

export function badCursor(): Denial {
  return deny("not-found", "is not a cursor of this list", "Leave it out to start from the first page.", "cursor");
}

/** What a cursor of this list holds; undefined without one. */
export function openCursor(
  seal: Seal,
  list: string,
  cursor: string | undefined,
): { readonly at: unknown } | undefined | Denial {
  if (cursor === undefined) return undefined;
  const at = seal.open(`cursor ${list}`, cursor);
  return at === undefined ? badCursor() : { at };
}

export function closeCursor(seal: Seal, list: string, at: unknown): string {
  return seal.close(`cursor ${list}`, at);
}

/** A list that is in memory: what is on it, in the order of its keys, and how one thing of it is shown. */
export interface Listing<Item, Shown> {
  readonly name: string;
  readonly items: Iterable<Item>;
  readonly keyOf: (item: Item) => string | number;
  readonly show: (item: Item) => Shown;
}

/** Makes a list; its parts agree on what an item is. */
export function listing<Item, Shown>(
  name: string,
  items: Iterable<Item>,
  keyOf: (item: Item) => string | number,
  show: (item: Item) => Shown,
): Listing<Item, Shown> {
  return { name, items, keyOf, show };
}

/** A page of a list; `show` is called for what is on the page only. */
export function pageOf<Item, Shown>(
  seal: Seal,
  { name, items, keyOf, show }: Listing<Item, Shown>,
  ask: PageAsk,
): { items: Shown[]; next?: string } | Denial {
  const opened = openCursor(seal, name, ask.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const keyed: Keyed<Item>[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (opened !== undefined && !(typeof key === typeof opened.at && key > (opened.at as typeof key))) continue;
    keyed.push({ key, item });
  }
  keyed.sort(byKey);
  const limit = ask.limit ?? usualLimit;
  const page = keyed.slice(0, limit);
  return {
    items: page.map(({ item }) => show(item)),
    ...(keyed.length > limit && { next: closeCursor(seal, name, page.at(-1)!.key) }),
  };
}

/** The whole list; each thing is shown when its turn comes. */
export function* wholeOf<Item, Shown>({ items, keyOf, show }: Listing<Item, Shown>): Generator<Shown> {
  const keyed = Array.from(items, (item): Keyed<Item> => ({ key: keyOf(item), item }));
  for (const { item } of keyed.sort(byKey)) yield show(item);
}

interface Keyed<Item> {
  readonly key: string | number;
  readonly item: Item;
}

function byKey(a: Keyed<unknown>, b: Keyed<unknown>): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
