import type { Seal } from "../../access/seal.ts";
import { type Denial, deny } from "../answer/problem.ts";

export interface PageAsk {
  readonly limit?: number;
  readonly cursor?: string;
  /** Also say how many there are in all. */
  readonly count?: boolean;
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
  /** What comes before the key in the order. */
  readonly sort?: Sort<Item>;
}

export interface Sort<Item> {
  /** As it was asked for; a cursor is good for the order in which it was given out. */
  readonly name: string;
  readonly of: (item: Item) => string | number;
  readonly down: boolean;
}

/** The order that is asked for, such as `-gpus`; undefined where none is. */
export function sortOf<Item, Name extends string>(
  asked: Name | `-${Name}` | undefined,
  fields: { readonly [Each in Name]: (item: Item) => string | number },
): Sort<Item> | undefined {
  if (asked === undefined) return undefined;
  const down = asked.startsWith("-");
  return { name: asked, of: fields[(down ? asked.slice(1) : asked) as Name], down };
}

/** Makes a list; its parts agree on what an item is. */
export function listing<Item, Shown>(
  name: string,
  items: Iterable<Item>,
  keyOf: (item: Item) => string | number,
  show: (item: Item) => Shown,
  sort?: Sort<Item>,
): Listing<Item, Shown> {
  return { name, items, keyOf, show, ...(sort !== undefined && { sort }) };
}

/** A page of a list; `show` is called for what is on the page only. */
export function pageOf<Item, Shown>(
  seal: Seal,
  list: Listing<Item, Shown>,
  ask: PageAsk,
): { items: Shown[]; next?: string; total?: number } | Denial {
  const name = list.sort === undefined ? list.name : `${list.name} by ${list.sort.name}`;
  const opened = openCursor(seal, name, ask.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const after = opened === undefined ? undefined : placeIn(opened.at);
  const order = orderOf(list.sort);
  const all = keyed(list);
  const left = after === undefined ? all : all.filter((each) => order(each, after) > 0);
  left.sort(order);
  const limit = ask.limit ?? usualLimit;
  const page = left.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ item }) => list.show(item)),
    ...(left.length > limit && last && { next: closeCursor(seal, name, [last.by, last.key]) }),
    ...(ask.count && { total: all.length }),
  };
}

/** The whole list; each thing is shown when its turn comes. */
export function* wholeOf<Item, Shown>(list: Listing<Item, Shown>): Generator<Shown> {
  for (const { item } of keyed(list).sort(orderOf(list.sort))) yield list.show(item);
}

/** Where something stands in the order of a list. */
interface Place {
  readonly by: string | number;
  readonly key: string | number;
}

interface Keyed<Item> extends Place {
  readonly item: Item;
}

function keyed<Item>({ items, keyOf, sort }: Listing<Item, unknown>): Keyed<Item>[] {
  return Array.from(items, (item) => ({ by: sort?.of(item) ?? 0, key: keyOf(item), item }));
}

function orderOf(sort: Sort<never> | undefined): (a: Place, b: Place) => number {
  const way = sort?.down ? -1 : 1;
  return (a, b) => way * compare(a.by, b.by) || compare(a.key, b.key);
}

/** Only this server makes cursors, and seals them with the order that they belong to. */
function placeIn(at: unknown): Place {
  const [by, key] = at as [string | number, string | number];
  return { by, key };
}

function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
