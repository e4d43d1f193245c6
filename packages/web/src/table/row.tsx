import type { CSSProperties, MouseEvent, ReactNode } from "react";
import { Link } from "wouter";
import { type Column, cellLook } from "./column.ts";
import { type PlacedLook, roles } from "./head.tsx";
import type { Selection } from "./selection.ts";
import type { SteadyRow } from "./steady-rows.ts";

export interface RowProps<Item> {
  readonly row: SteadyRow<Item>;
  readonly columns: readonly Column<Item>[];
  readonly href: string | undefined;
  /** What it is called where there is only a box to choose it. */
  readonly name: string;
  readonly isCurrent: boolean;
  /** Tab goes to it. */
  readonly isStop: boolean;
  readonly selection: Selection<Item> | undefined;
  readonly onThrough: (key: string) => void;
  /** Where it is placed by hand: which one it is, and how it and its cells stand. */
  readonly at?: { readonly index: number; readonly style?: CSSProperties } & Pick<PlacedLook, "rooms">;
}

/** A row; where it leads somewhere, its first cell holds the link, and all of it can be clicked. */
export function Row<Item>(props: RowProps<Item>) {
  const { row, columns, href, name, isCurrent, isStop, selection, onThrough, at } = props;
  const cellRole = at === undefined ? {} : roles.cell;
  const stop = isStop ? {} : { tabIndex: -1 };
  const rooms = at?.rooms;
  const contentOf = (column: Column<Item>, i: number): ReactNode => {
    const shown = column.show(row.item);
    if (i > 0 || href === undefined) return shown;
    return (
      <Link href={href} className="row-link" {...stop}>
        {shown}
      </Link>
    );
  };
  return (
    <tr
      data-key={row.key}
      tabIndex={-1}
      className={`${row.isGone ? "gone" : ""} ${href === undefined ? "" : "leads"}`}
      {...(isCurrent && { "aria-current": "true" })}
      {...(row.isGone && { title: "No longer in this list" })}
      {...(at !== undefined && { ...roles.row, "aria-rowindex": at.index + 2, style: at.style })}
      {...(href !== undefined && { onClick: followLink })}
    >
      {selection !== undefined && (
        <td className="pick" {...cellRole}>
          <input
            type="checkbox"
            className="choose"
            aria-label={`Choose ${name}`}
            checked={selection.keys.has(row.key)}
            disabled={row.isGone && !selection.keys.has(row.key)}
            onClick={(event) => (event.shiftKey ? onThrough(row.key) : selection.toggle(row))}
            onChange={() => {}}
            {...stop}
          />
        </td>
      )}
      {columns.map((column, i) => (
        <td
          key={column.key ?? column.label}
          className={cellLook(column)}
          {...cellRole}
          {...(column.below && rooms !== undefined && { "data-label": column.label })}
          style={rooms?.[i]}
        >
          {contentOf(column, i)}
          {i === 0 && row.isGone && <span className="hidden-text">, no longer in this list</span>}
        </td>
      ))}
    </tr>
  );
}

/** What tells more when the pointer rests on it lies over the link: a click on it follows the link too. */
function followLink(event: MouseEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  if (target.closest("a, button, input, select, label, summary") !== null) return;
  const link = event.currentTarget.querySelector<HTMLAnchorElement>("a.row-link");
  const { ctrlKey, metaKey, shiftKey } = event;
  link?.dispatchEvent(
    new globalThis.MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}
