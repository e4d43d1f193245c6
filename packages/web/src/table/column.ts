import type { ReactNode } from "react";

/** What a column can be sorted by in the browser. */
export type SortValue = string | number | bigint;

export interface Column<Item> {
  readonly label: string;
  /** Tells it from another one with this label. */
  readonly key?: string;
  /** What is in it speaks for itself, such as buttons: the label is only read out. */
  readonly hasNoHead?: boolean;
  readonly show: (item: Item) => ReactNode;
  /** In a long table: pixels, or the least pixels and the share of the room that is left. */
  readonly width?: number | readonly [leastPx: number, share: number];
  /** In a short table: percent of its width, for what draws a bar; others are as wide as what they hold. */
  readonly percent?: number;
  /** Shown at the right edge of the column, and sorted from the largest first. */
  readonly number?: boolean;
  /** Does not break into lines. */
  readonly nowrap?: boolean;
  /** On a phone it stands below the first line of its row. */
  readonly below?: boolean;
  /** False: not shown until it is chosen. */
  readonly usual?: boolean;
  /** What the server calls it when it sorts by it. */
  readonly sort?: string;
  /** What it is sorted by where the whole list is in the browser. */
  readonly by?: (item: Item) => SortValue;
}

type Chosen = Pick<Column<never>, "label" | "usual">;
type Sorted = Pick<Column<never>, "label" | "sort" | "number"> & { readonly by?: unknown };
type Sized = Pick<Column<never>, "width">;

const between = "~";

/** The columns that the address names, in their own order; the usual ones where it names none. */
export function chosenColumns<Each extends Chosen>(columns: readonly Each[], text: string): readonly Each[] {
  const wanted = new Set(text.split(between));
  const found = columns.filter(({ label }) => wanted.has(label));
  return found.length > 0 ? found : columns.filter(({ usual }) => usual !== false);
}

/** What the address says once a column was chosen or let go; nothing for the usual ones. */
export function toggledColumns(columns: readonly Chosen[], text: string, label: string): string {
  const shown = new Set(chosenColumns(columns, text).map((column) => column.label));
  if (!shown.delete(label)) shown.add(label);
  const next = columns.filter((column) => shown.has(column.label));
  const isUsual = columns.every((column) => shown.has(column.label) === (column.usual !== false));
  return isUsual ? "" : next.map((column) => column.label).join(between);
}

/** What the address calls a column that can be sorted by; undefined for one that cannot. */
export function sortNameOf({ label, sort, by }: Sorted): string | undefined {
  return sort ?? (by === undefined ? undefined : label);
}

/** The order that the address asks for, with `-` for the largest first; empty where no column has it. */
export function sortAmong(columns: readonly Sorted[], text: string): string {
  const name = text.replace(/^-/, "");
  return name !== "" && columns.some((column) => sortNameOf(column) === name) ? text : "";
}

/** The order after a click on the heading of a column: one way, the other way, and as the list comes (`usual`). */
export function nextSort(column: Sorted, sort: string, usual: string): string {
  const name = sortNameOf(column) ?? "";
  const [first, second] = column.number === true ? [`-${name}`, name] : [name, `-${name}`];
  if (sort === first) return second;
  if (sort !== second) return first;
  return usual === first || usual === second ? first : usual;
}

/** Says how a column is sorted, for screen readers. */
export function ariaSort(column: Sorted, sort: string): "ascending" | "descending" | "none" | undefined {
  const name = sortNameOf(column);
  if (name === undefined) return undefined;
  return sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none";
}

/** A list that is whole, in the order of a column; equal ones stay as they were. */
export function ordered<Item>(items: readonly Item[], columns: readonly Column<Item>[], sort: string): readonly Item[] {
  const isDown = sort.startsWith("-");
  const by = columns.find((column) => sortNameOf(column) === (isDown ? sort.slice(1) : sort))?.by;
  if (by === undefined) return items;
  return items
    .map((item) => ({ item, value: by(item) }))
    .sort((a, b) => (isDown ? -1 : 1) * compare(a.value, b.value))
    .map(({ item }) => item);
}

const words = new Intl.Collator("en", { numeric: true });

function compare(a: SortValue, b: SortValue): number {
  if (typeof a === "string" && typeof b === "string") return words.compare(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The classes of a cell and of its heading. */
export function cellLook({ number, nowrap, below }: Pick<Column<never>, "number" | "nowrap" | "below">): string {
  return [number && "number", nowrap && "nowrap", below && "below"].filter(Boolean).join(" ");
}

const gapPx = 12;
const paddingPx = 32;
/** More on the left, for the box that chooses a row. */
const pickPx = 32;
const usualWidth = [100, 1] as const;

/** The columns of a long table as tracks of a grid. */
export function tracksOf(columns: readonly Sized[]): string {
  return columns
    .map(({ width = usualWidth }) =>
      typeof width === "number" ? `${width}px` : `minmax(${width[0]}px, ${width[1]}fr)`,
    )
    .join(" ");
}

/** The room that a long table needs; where there is less, it scrolls sideways. */
export function leastWidthOf(columns: readonly Sized[], isSelectable: boolean): number {
  const least = ({ width = usualWidth }: Sized) => (typeof width === "number" ? width : width[0]);
  const around = paddingPx + (isSelectable ? pickPx : 0) - gapPx;
  return columns.reduce((sum, column) => sum + least(column) + gapPx, around);
}

/**
 * The room of each column in the first line of a row of two lines, as style. The first column gives way: a name that is
 * cut can still be told, and a state cannot.
 */
export function firstLineOf(
  columns: readonly Pick<Column<never>, "width" | "below">[],
): readonly ({ readonly flex: string; readonly minWidth?: string } | undefined)[] {
  const inLine = columns.filter(({ below }) => below !== true);
  // Together the others leave room for the first.
  const mostPercent = Math.floor(110 / inLine.length);
  return columns.map((column) => {
    const { width = usualWidth, below } = column;
    if (below === true) return undefined;
    if (typeof width === "number") return { flex: `0 0 ${width}px` };
    const flex = `${width[1]} 1 0`;
    return column === inLine[0] ? { flex } : { flex, minWidth: `min(${width[0]}px, ${mostPercent}%)` };
  });
}
