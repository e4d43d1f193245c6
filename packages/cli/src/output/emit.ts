import { csvText } from "@tessera/wire/csv";
import { writeYaml } from "../config/yaml.ts";
import type { Session } from "../session.ts";
import { type Column, chooseColumns, refuseUnknown, sortItems, unknownAmong } from "./column.ts";
import { renderTable } from "./table.ts";

/** How a list is shown. */
export interface ListView<Item> {
  readonly columns: readonly Column<Item>[];
  /** What other commands know the item by; what -o name prints. */
  readonly nameOf: (item: Item) => string;
  /** Fields that the objects can have, besides those that they do have; asked only when a name is no column. */
  readonly fields?: () => Promise<readonly string[]>;
}

export interface ListOptions {
  readonly columns?: string;
  readonly sortBy?: string;
  readonly headers?: boolean;
}

/** JSON in one line for programs, indented for people. */
export function jsonText(session: Session, value: unknown): string {
  return `${session.terminal.stdout.isTTY ? JSON.stringify(value, null, 2) : JSON.stringify(value)}\n`;
}

/** Prints one API object; `human` draws it for people. */
export async function emitObject<Value>(
  session: Session,
  value: Value,
  name: string,
  human: (value: Value) => string,
): Promise<void> {
  if (session.format === "json") await session.print(jsonText(session, value));
  else if (session.format === "yaml") await session.print(await writeYaml(value));
  else if (session.format === "name") await session.print(`${name}\n`);
  else await session.print(human(value));
}

/** Refuses --columns and --sort-by with names that there are not. */
export async function checkNames<Item>(
  view: Pick<ListView<Item>, "columns" | "fields">,
  { columns, sortBy }: ListOptions,
  items: readonly Item[] = [],
): Promise<void> {
  if (unknownAmong(columns, view.columns).length + unknownAmong(sortBy, view.columns).length === 0) return;
  const known = (await view.fields?.()) ?? [];
  const fields = [...new Set([...known, ...items.flatMap((item) => Object.keys(item as object))])];
  refuseUnknown("--columns", columns, view.columns, fields);
  refuseUnknown("--sort-by", sortBy, view.columns, fields);
}

/** Prints a list: JSON and YAML as the API gave it, everything else by columns. */
export async function emitList<Item>(
  session: Session,
  page: { readonly items: readonly Item[] },
  view: ListView<Item>,
  options: ListOptions = {},
): Promise<void> {
  await checkNames(view, options, page.items);
  const items = sortItems(page.items, view.columns, options.sortBy);
  if (session.format === "json") return session.print(jsonText(session, { ...page, items }));
  if (session.format === "yaml") return session.print(await writeYaml({ ...page, items }));
  await session.print(listText(session, items, view, options));
}

/** A list as text in the format asked for: table, wide, csv or name. */
export function listText<Item>(
  session: Session,
  items: readonly Item[],
  view: ListView<Item>,
  { columns: asked, headers = true }: ListOptions,
): string {
  if (session.format === "name") return items.map((item) => `${view.nameOf(item)}\n`).join("");
  const everything = session.format === "wide" || session.format === "csv";
  const columns = chooseColumns(view.columns, asked, everything);
  const now = session.now();
  if (session.format === "csv") return csvOf(columns, items, headers, now);
  if (items.length === 0) return "";
  const width = session.terminal.stdout.columns;
  return renderTable(columns, items, { headers, paint: session.paint, now, width });
}

/** With exact values instead of the rounded ones of the table. */
export function csvOf<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  headers: boolean,
  now: number,
): string {
  const rows = items.map((item) =>
    columns.map((column) => (column.raw === undefined ? column.text(item, now) : String(column.raw(item) ?? ""))),
  );
  return csvText(headers ? [columns.map(({ name }) => name), ...rows] : rows, "\n");
}
