import { nearestName } from "@tessera/wire/nearest";
import { usageFailure } from "../failure.ts";
import type { Style } from "../terminal.ts";

/** One column of a list. */
export interface Column<Item> {
  /** As typed after --columns and --sort-by; the header is this in capitals. */
  readonly name: string;
  readonly text: (item: Item, now: number) => string;
  /** The exact value, for csv and sorting; the text unless given. */
  readonly raw?: (item: Item) => string | number | undefined;
  readonly style?: (item: Item) => Style | undefined;
  /** Only in -o wide. */
  readonly wide?: true;
  /** Numbers stand at the right. */
  readonly right?: true;
  /** Left out where no item has anything in it. */
  readonly hidesEmpty?: true;
  /** Left out when the terminal is too narrow for everything. */
  readonly drops?: boolean;
  /** Gives way when the terminal is too narrow. */
  readonly shrinks?: true;
}

/** The columns to show: those asked for by name, else the usual ones. A dotted path reaches any field of the API object. */
export function chooseColumns<Item>(
  all: readonly Column<Item>[],
  asked: string | undefined,
  wide: boolean,
): readonly Column<Item>[] {
  if (asked === undefined) return all.filter((column) => wide || column.wide !== true);
  return asked
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((name) => ({ ...columnNamed(all, name), drops: false }));
}

function columnNamed<Item>(all: readonly Column<Item>[], name: string): Column<Item> {
  const wanted = name.toLowerCase();
  const found = all.find((column) => column.name === wanted);
  return found ?? fieldColumn(name);
}

function fieldColumn<Item>(path: string): Column<Item> {
  const fieldOf = (item: Item): unknown =>
    path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], item);
  return {
    name: path,
    text: (item) => textOfValue(fieldOf(item)),
    raw: (item) => {
      const value = fieldOf(item);
      return typeof value === "number" ? value : textOfValue(value);
    },
  };
}

/** Refuses names after --columns and --sort-by that are neither columns nor, by their first part, fields of the object. */
export function refuseUnknown(
  flag: "--columns" | "--sort-by",
  asked: string | undefined,
  columns: readonly { readonly name: string }[],
  fields: readonly string[],
): void {
  const names = columns.map(({ name }) => name);
  for (const name of unknownAmong(asked, columns)) {
    if (fields.includes(name.split(".")[0]!)) continue;
    const near = nearestName(name, [...names, ...fields]);
    const others = fields.filter((field) => !names.includes(field));
    const all = `columns: ${names.join(", ")}${others.length === 0 ? "" : `; fields: ${others.join(", ")}`}`;
    throw usageFailure(`${flag}: there is no "${name}"`, near === undefined ? all : `did you mean ${near}? ${all}`);
  }
}

/** Which of the names asked for are no columns. */
export function unknownAmong(asked: string | undefined, columns: readonly { readonly name: string }[]): string[] {
  return (asked ?? "")
    .split(",")
    .map((name) => name.trim().replace(/^-/, ""))
    .filter((name) => name !== "" && !columns.some((column) => column.name === name.toLowerCase()));
}

function textOfValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Orders by one column; a leading - turns the order round. Numbers as numbers, text by the alphabet. */
export function sortItems<Item>(
  items: readonly Item[],
  all: readonly Column<Item>[],
  sortBy: string | undefined,
): readonly Item[] {
  if (sortBy === undefined) return items;
  const down = sortBy.startsWith("-");
  const column = columnNamed(all, down ? sortBy.slice(1) : sortBy);
  const keyOf = (item: Item) => (column.raw === undefined ? column.text(item, 0) : (column.raw(item) ?? ""));
  return items.toSorted((one, other) => compare(keyOf(one), keyOf(other)) * (down ? -1 : 1));
}

function compare(one: string | number, other: string | number): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), "en", { numeric: true });
}
