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

interface Drawn<Item> {
  readonly column: Column<Item>;
  readonly title: string;
  readonly cells: readonly string[];
  width: number;
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
  const all = columns
    .map((column) => draw(column, items, headers, now))
    .filter(({ column, cells }) => column.hidesEmpty !== true || cells.some((cell) => cell !== ""));
  const drawn = width === undefined ? all : fitInto(all, width);
  const lines = items.map((item, row) =>
    lineOf(
      drawn,
      ({ cells }) => cells[row]!,
      ({ column }) => column.style?.(item),
      paint,
      width,
    ),
  );
  if (headers)
    lines.unshift(
      lineOf(
        drawn,
        ({ title }) => title,
        () => "bold",
        paint,
        width,
      ),
    );
  return lines.map((line) => `${line}\n`).join("");
}

function draw<Item>(column: Column<Item>, items: readonly Item[], headers: boolean, now: number): Drawn<Item> {
  const cells = items.map((item) => printable(column.text(item, now)));
  const title = column.name.toUpperCase();
  const width = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), headers ? widthOf(title) : 0);
  return { column, title, cells, width };
}

/** Leaves out what may be left out, then takes from the widest column that may shrink. */
function fitInto<Item>(all: readonly Drawn<Item>[], width: number): readonly Drawn<Item>[] {
  const total = (drawn: readonly Drawn<Item>[]) => drawn.reduce((sum, each) => sum + each.width + gap, -gap);
  const drawn = total(all) > width ? all.filter(({ column }) => !column.drops) : all;
  for (let over = total(drawn) - width; over > 0; over -= 1) {
    const widest = drawn
      .filter((each) => each.column.shrinks && each.width > shrunkWidthMin)
      .reduce<Drawn<Item> | undefined>(
        (best, each) => (best !== undefined && best.width >= each.width ? best : each),
        undefined,
      );
    if (widest === undefined) break;
    widest.width -= 1;
  }
  return drawn;
}

function lineOf<Item>(
  drawn: readonly Drawn<Item>[],
  textOf: (each: Drawn<Item>) => string,
  styleOf: (each: Drawn<Item>) => Parameters<Paint>[0] | undefined,
  paint: Paint,
  width: number | undefined,
): string {
  let used = 0;
  let line = "";
  for (const [index, each] of drawn.entries()) {
    const room = width === undefined ? each.width : Math.min(each.width, width - used);
    if (room <= 0) break;
    const cut = truncate(textOf(each), room);
    const last = index === drawn.length - 1;
    const text = each.column.right ? pad(cut, room, true) : last ? cut : pad(cut, room);
    const style = styleOf(each);
    line += (style === undefined ? text : paint(style, text)) + (last ? "" : " ".repeat(gap));
    used += room + gap;
  }
  return line.trimEnd();
}
