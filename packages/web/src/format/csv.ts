/** Rows of one shape as CSV; a text that a spreadsheet would take for a formula is made harmless. */
export function csvOf(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) return "";
  const names = Object.keys(first);
  const cell = (value: unknown) => {
    const text = String(value ?? "");
    return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  };
  return [names, ...rows.map((row) => names.map((name) => (row as Record<string, unknown>)[name]))]
    .map((cells) => cells.map(cell).join(","))
    .join("\r\n");
}

/** Hands a table to the browser as a file. */
export function saveCsv(name: string, rows: readonly object[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csvOf(rows)], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
