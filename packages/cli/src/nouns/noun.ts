import type { RouteId } from "@tessera/wire";
import type { WatchRoute } from "@tessera/wire/addresses";
import type { Command } from "commander";
import type { Api } from "../http.ts";
import type { ListView } from "../output/emit.ts";
import type { Session } from "../session.ts";
import type { Paint } from "../terminal.ts";

/** Flags of a list after parsing. */
export type Filters = Readonly<Record<string, string | boolean | undefined>>;
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface PageOfItems<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** A thing that can be listed, fetched and described. */
export interface Noun<Item> extends ListView<Item> {
  readonly name: string;
  readonly plural: string;
  /** The route that can be watched; undefined where the list stands still. */
  readonly watch?: WatchRoute;
  /** The route of the list, where it cannot be watched. */
  readonly list?: RouteId;
  /** What a watched list calls the item when it is gone. */
  readonly keyOf: (item: Item) => string;
  /** How many are fetched unless --limit says otherwise; undefined = all. */
  readonly limit?: (query: Query) => number | undefined;
  /** New items are added below, never drawn over: for histories. */
  readonly grows?: true;
  /** Columns by which the server can sort the whole list, and its names for them. */
  readonly sorts?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  addFilters?(command: Command): void;
  queryOf(filters: Filters, session: Session): Promise<Query>;
  page(api: Api, query: Query): Promise<PageOfItems<Item>>;
  load(session: Session, name: string, filters: Filters): Promise<Item>;
  /** A short list that surely holds the item while it changes, for watching one. */
  around?(item: Item): Query;
  describe?(item: Item, paint: Paint, now: number): string;
  /** What else is asked for when one is described to people; shown below it. */
  beside?(session: Session, item: Item): Promise<string>;
}

/** For lists that cannot be asked for one item: looks through all of it. */
export function loadFromList<Item>(
  noun: Pick<Noun<Item>, "name" | "page" | "queryOf">,
  is: (item: Item, name: string) => boolean,
) {
  return async (session: Session, name: string, filters: Filters): Promise<Item> => {
    const { notFoundFailure } = await import("../failure.ts");
    const api = await session.api();
    const query = await noun.queryOf(filters, session);
    for (let cursor: string | undefined; ; ) {
      const page = await noun.page(api, { ...query, limit: 1_000, ...(cursor !== undefined && { cursor }) });
      const found = page.items.find((item) => is(item, name));
      if (found !== undefined) return found;
      if (page.next === undefined) throw notFoundFailure(`there is no ${noun.name} "${name}"`);
      cursor = page.next;
    }
  };
}
