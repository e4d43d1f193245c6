import { type FocusRow, focusColumns } from "./columns.ts";

/** The rows as RFC 4180 text with a header. */
export function focusCsv(rows: readonly FocusRow[]): string {
  const lines = rows.map((row) => focusColumns.map((column) => cell(row[column] ?? "")).join(","));
  return `${[focusColumns.join(","), ...lines].join("\r\n")}\r\n`;
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
