import type { CSSProperties } from "react";
import { ariaSort, type Column, cellLook, nextSort, sortNameOf } from "./column.ts";
import type { Look } from "./look.tsx";
import type { Selection } from "./selection.ts";
import type { SteadyRow } from "./steady-rows.ts";

/** Tables whose rows are placed by hand are no tables to a browser: they say themselves what they are. */
export const roles = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  head: { role: "columnheader" },
  cell: { role: "cell" },
} as const;

interface HeadProps<Item> {
  readonly columns: readonly Column<Item>[];
  readonly look: Look | undefined;
  readonly selection: Selection<Item> | undefined;
  /** For the choice of all that are there. */
  readonly rows: readonly SteadyRow<Item>[];
  readonly placed?: PlacedLook | undefined;
}

/** How the cells of a row that is placed by hand stand: in the tracks of a grid, or in two lines. */
export interface PlacedLook {
  readonly tracks?: string;
  /** Of two lines: the room of each cell, where its width does not follow from what it holds. */
  readonly rooms?: readonly (CSSProperties | undefined)[] | undefined;
}

/** The names of the columns; one that the list can be sorted by is a button. */
export function Head<Item>({ columns, look, selection, rows, placed }: HeadProps<Item>) {
  const isPlaced = placed !== undefined;
  const rooms = placed?.rooms;
  return (
    <thead {...(isPlaced && roles.group)}>
      <tr {...(isPlaced && { ...roles.row, "aria-rowindex": 1, style: { gridTemplateColumns: placed.tracks } })}>
        {selection !== undefined && (
          <th scope="col" className="pick" {...(isPlaced && roles.head)}>
            <ChooseAll selection={selection} rows={rows} />
          </th>
        )}
        {columns.map((column, i) => {
          const by = sortNameOf(column);
          const sort = look?.sort ?? "";
          const mark = sort === by ? " ▲" : sort === `-${by}` ? " ▼" : "";
          return (
            <th
              key={column.key ?? column.label}
              scope="col"
              className={cellLook(column)}
              aria-sort={look && ariaSort(column, sort)}
              {...(isPlaced && roles.head)}
              style={
                rooms !== undefined
                  ? rooms[i]
                  : { width: column.percent === undefined ? undefined : `${column.percent}%` }
              }
            >
              {column.hasNoHead === true ? (
                <span className="hidden-text">{column.label}</span>
              ) : by === undefined || look === undefined || isHidden(column, rooms) ? (
                column.label
              ) : (
                <button
                  type="button"
                  className="sort"
                  title={`Sort by ${column.label}`}
                  onClick={() => look.onSort(nextSort(column, sort, look.usualSort))}
                >
                  {column.label}
                  <span aria-hidden="true">{mark}</span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Its heading has no room and is only read out; nothing that cannot be seen takes the focus. */
function isHidden({ below }: Pick<Column<never>, "below">, rooms: PlacedLook["rooms"]): boolean {
  return below === true && rooms !== undefined;
}

function ChooseAll<Item>({ selection, rows }: { selection: Selection<Item>; rows: readonly SteadyRow<Item>[] }) {
  const there = rows.filter(({ isGone }) => !isGone);
  const many = there.filter(({ key }) => selection.keys.has(key)).length;
  const isAll = many > 0 && many === there.length;
  return (
    <input
      type="checkbox"
      className="choose"
      aria-label={isAll ? "Choose none" : "Choose all rows that are shown"}
      ref={(box) => {
        if (box !== null) box.indeterminate = many > 0 && !isAll;
      }}
      checked={isAll}
      onChange={() => (isAll ? selection.clear() : selection.add(there))}
    />
  );
}
