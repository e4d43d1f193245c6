import { type Paint, printable } from "../terminal.ts";
import type { Column } from "./column.ts";
import { pad, truncate, widthOf } from "./width.ts";

export interface TableOptions {
  readonly headers: boolean;
  readonly paint: Paint;
  readonly now: number;
  /** Width to fit into; undefined where lines may be as long as they are. */
  readonly width?: number | undefined;
}

const gap = 2;
// Below this a column says nothing any more; the line is cut at the edge instead.
const shrunkWidthMin = 6;

/** Lines of aligned columns, each cut to the terminal's width. */
export function renderTable<Item>(
  columns: readonly Column<Item>[],
  items: readonly Item[],
  { headers, paint, now, width }: TableOptions,
): string {
  const cells = items.map((item) => columns.map((column) => printable(column.text(item, now))));
  const titles = columns.map((column) => column.name.toUpperCase());
  const widths = columns.map((_column, index) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[index]!)), headers ? widthOf(titles[index]!) : 0),
  );
  if (width !== undefined) shrink(columns, widths, width);
  const lineOf = (row: readonly string[], styled: (cell: string, index: number) => string) =>
    fit(row, columns, widths, styled, width);
  const lines = cells.map((row, line) =>
    lineOf(row, (cell, index) => {
      const style = columns[index]!.style?.(items[line]!);
      return style === undefined ? cell : paint(style, cell);
    }),
  );
  if (headers) lines.unshift(lineOf(titles, (cell) => paint("bold", cell)));
  return lines.map((line) => `${line}\n`).join("");
}

function shrink<Item>(columns: readonly Column<Item>[], widths: number[], width: number): void {
  for (;;) {
    const over = widths.reduce((sum, each) => sum + each + gap, -gap) - width;
    if (over <= 0) return;
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      if (column.shrinks && widths[index]! > shrunkWidthMin && (widest < 0 || widths[index]! > widths[widest]!)) {
        widest = index;
      }
    }
    if (widest < 0) return;
    widths[widest] = Math.max(shrunkWidthMin, widths[widest]! - 1);
  }
}

function fit<Item>(
  row: readonly string[],
  columns: readonly Column<Item>[],
  widths: readonly number[],
  styled: (cell: string, index: number) => string,
  width: number | undefined,
): string {
  let used = 0;
  let line = "";
  for (const [index, cell] of row.entries()) {
    const room = width === undefined ? widths[index]! : Math.min(widths[index]!, width - used);
    if (room <= 0) break;
    const last = index === row.length - 1;
    const cut = truncate(cell, room);
    const text = columns[index]!.right ? pad(cut, room, true) : last ? cut : pad(cut, room);
    line += styled(text, index) + (last ? "" : " ".repeat(gap));
    used += room + gap;
  }
  return line.trimEnd();
}
