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
