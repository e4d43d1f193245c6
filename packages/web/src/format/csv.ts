import { csvText } from "@tessera/wire/csv";

/** Rows with their field names as the header; a row may lack some of the fields. */
function csvOf(rows: readonly object[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return "";
  const cells = (row: object) => names.map((name) => String((row as Record<string, unknown>)[name] ?? ""));
  return csvText([names, ...rows.map(cells)]);
}

/** Hands a table to the browser as a file. */
export function saveCsv(name: string, rows: readonly object[]): void {
  saveFile(name, csvOf(rows));
}

/** Hands text to the browser as a CSV file. */
export function saveFile(name: string, text: string): void {
  saveBlob(name, new Blob([text], { type: "text/csv" }));
}

export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
