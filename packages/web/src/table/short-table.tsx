import { type CSSProperties, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useNarrow } from "../design/narrow.ts";
import type { Cursor } from "../frame/scroll-places.ts";
import { type Column, cellLook } from "./column.ts";
import { Head, roles } from "./head.tsx";
import { Row } from "./row.tsx";
import { useRowKeys } from "./row-keys.ts";
import { taken } from "./steady-rows.ts";
import type { TableProps } from "./table.tsx";

type ShortProps<Item> = TableProps<Item> & { readonly items: readonly Item[] };

/**
 * All rows at once, as wide as what they hold; where there is less room the table scrolls sideways. On a phone, columns
 * that may stand below others do so, each with its name, unless columns were chosen. It prints well.
 */
export function ShortTable<Item>(props: ShortProps<Item>) {
  const { label, items, columns, keyOf, hrefOf, nameOf = keyOf, current, look, selection, foot = [] } = props;
  const box = useRef<HTMLElement>(null);
  const scrolls = useScrollsSideways(box);
  const { most = items.length, rest } = props;
  const narrow = useNarrow();
  const isFolded = narrow && (look?.columns ?? "") === "" && columns.some(({ below }) => below === true);
  const rooms = useMemo(() => (isFolded ? columns.map(roomOf) : undefined), [isFolded, columns]);
  const { rows } = useMemo(() => taken(items.slice(0, most), keyOf), [items, most, keyOf]);
  const see = selection?.see;
  useEffect(() => see?.(rows), [see, rows]);
  const toRow = (place: number) =>
    box.current?.querySelectorAll("tbody tr")[place]?.scrollIntoView({ block: "nearest" });
  const [cursor, setCursor] = useState<Cursor>();
  const keys = useRowKeys({ name: label, cursor, setCursor, box, rows, selection, toRow, firstInSight: () => 0 });
  const stop = cursor?.key ?? rows[0]?.key;
  return (
    <section
      ref={box}
      className={isFolded ? "table-box folded" : "table-box"}
      aria-label={label}
      {...(scrolls && { tabIndex: 0 })}
      {...keys}
    >
      <table
        className={look?.tight === true ? "table tight" : "table"}
        aria-label={label}
        {...(isFolded && roles.table)}
      >
        <Head columns={columns} look={look} selection={selection} rows={rows} placed={rooms && { rooms }} />
        <tbody {...(isFolded && roles.group)}>
          {rows.map((row, index) => (
            <Row
              key={row.key}
              row={row}
              columns={columns}
              href={hrefOf?.(row.item)}
              name={nameOf(row.item)}
              isCurrent={row.key === current}
              isStop={row.key === stop}
              selection={selection}
              onThrough={(key) => selection?.through(key, rows)}
              {...(rooms !== undefined && { at: { index, rooms } })}
            />
          ))}
        </tbody>
        {foot.length > 0 && (
          <tfoot {...(isFolded && roles.group)}>
            {foot.map((cells, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: sums have no other key than their place
              <tr key={at} {...(isFolded && roles.row)}>
                {columns.map((column, i) => (
                  <td
                    key={column.key ?? column.label}
                    className={cellLook(column)}
                    {...(isFolded && { ...roles.cell, "data-label": column.label })}
                  >
                    {cells[i]}
                  </td>
                ))}
              </tr>
            ))}
          </tfoot>
        )}
      </table>
      {rest !== undefined && items.length > most && <p className="quiet small rest">{rest(items.length - most)}</p>}
    </section>
  );
}

/** What draws a bar has a line of its own. */
function roomOf({ below, percent }: Column<never>): CSSProperties | undefined {
  return below === true && percent !== undefined ? { flex: "1 0 100%" } : undefined;
}

/** Whether the table is wider than its box, which can then be reached by keyboard and scrolled with the arrows. */
function useScrollsSideways(box: RefObject<HTMLElement | null>): boolean {
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth + 1));
    look.observe(element);
    for (const child of element.children) look.observe(child);
    return () => look.disconnect();
  }, [box]);
  return scrolls;
}
