/** Rows under a header, as aligned text; numbers to the right. */
export function textTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "number" ? numberText(cell) : cell)));
  const widths = header.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]!.length)));
  const right = header.map((_, i) => rows.every((row) => typeof row[i] === "number"));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (right[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join("  ")
      .trimEnd();
  return [line(header), ...cells.map(line)];
}

function numberText(value: number): string {
  const [whole, part] = (Math.abs(value) >= 100 ? value.toFixed(0) : String(value)).split(".");
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}
