import type { Column } from "./column.ts";

/** RFC 4180, with exact values instead of the rounded ones of the table. */
export function renderCsv<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  headers: boolean,
  now: number,
): string {
  const rows = items.map((item) =>
    columns.map((column) => (column.raw === undefined ? column.text(item, now) : String(column.raw(item) ?? ""))),
  );
  if (headers) rows.unshift(columns.map((column) => column.name));
  return rows.map((row) => `${row.map(quote).join(",")}\n`).join("");
}

function quote(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
