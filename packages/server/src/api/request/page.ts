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

/** A page of a list that is in memory, in the order of its keys; `show` is called for what is on the page only. */
export function pageOf<Item, Shown>(
  seal: Seal,
  list: string,
  items: Iterable<Item>,
  keyOf: (item: Item) => string | number,
  ask: PageAsk,
  show: (item: Item) => Shown,
): { items: Shown[]; next?: string } | Denial {
  const opened = openCursor(seal, list, ask.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const keyed: { key: string | number; item: Item }[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (opened !== undefined && !(typeof key === typeof opened.at && key > (opened.at as typeof key))) continue;
    keyed.push({ key, item });
  }
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const limit = ask.limit ?? usualLimit;
  const page = keyed.slice(0, limit);
  return {
    items: page.map(({ item }) => show(item)),
    ...(keyed.length > limit && { next: closeCursor(seal, list, page.at(-1)!.key) }),
  };
}
