import { type ReactNode, useMemo } from "react";
import { type Column, chosenColumns, ordered } from "./column.ts";
import { LongTable } from "./long-table.tsx";
import type { Look } from "./look.tsx";
import type { Selection } from "./selection.ts";
import { ShortTable } from "./short-table.tsx";

export interface TableProps<Item> {
  readonly label: string;
  /** Undefined until they are known. */
  readonly items: readonly Item[] | undefined;
  /** All that there are; the look says which of them are shown. */
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** Where a row leads, where it leads anywhere. */
  readonly hrefOf?: (item: Item) => string | undefined;
  /** What a row is called; needed where rows can be chosen. */
  readonly nameOf?: (item: Item) => string;
  /** The key of the row that the page shows more of. */
  readonly current?: string | undefined;
  /** Without one nothing about the table can be chosen. */
  readonly look?: Look;
  readonly selection?: Selection<Item> | undefined;
  /** Rows below all others, such as a sum. */
  readonly foot?: readonly (readonly ReactNode[])[];
  /** Of a short table: more rows than these are not shown, and what is said of the rest instead. */
  readonly most?: number;
  readonly rest?: (left: number) => ReactNode;
  /** Makes it a long table, at most this high, in which only the rows in sight are drawn. */
  readonly height?: number | string;
  /** Of a long table: what list it is. Rows of the same list do not move while they are read. */
  readonly about?: string;
  /** Of a long table: what is said where it has no rows. */
  readonly empty?: ReactNode;
  /** Of a long table that is read page by page. */
  readonly pages?: Pages | undefined;
}

/** What is known of a list of which only some pages are read. */
export interface Pages {
  readonly isWhole: boolean;
  /** Of all of it, where that is known. */
  readonly total: number | undefined;
  /** It is being read, again or for the first time. */
  readonly isFetching: boolean;
  /** Reads the next page; undefined where there is none, or while one is being read. */
  readonly more: (() => void) | undefined;
}

/** Every list of more than one column is one of these; `docs/decisions/0088-one-table.md` has what it does and what not. */
export function Table<Item>(props: TableProps<Item>) {
  const { items, columns, look } = props;
  const shown = chosenColumns(columns, look?.columns ?? "");
  const sort = look?.sort ?? "";
  const inOrder = useMemo(() => items && ordered(items, columns, sort), [items, columns, sort]);
  return props.height === undefined ? (
    <ShortTable {...props} items={inOrder ?? []} columns={shown} />
  ) : (
    <LongTable {...props} items={inOrder} columns={shown} height={props.height} />
  );
}
