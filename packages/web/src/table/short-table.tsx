import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { Cursor } from "../frame/scroll-places.ts";
import { Head } from "./head.tsx";
import { Row } from "./row.tsx";
import { useRowKeys } from "./row-keys.ts";
import { taken } from "./steady-rows.ts";
import type { TableProps } from "./table.tsx";

type ShortProps<Item> = TableProps<Item> & { readonly items: readonly Item[] };

/** All rows at once, as wide as what they hold; where there is less room the table scrolls sideways. It prints well. */
export function ShortTable<Item>(props: ShortProps<Item>) {
  const { label, items, columns, keyOf, hrefOf, nameOf = keyOf, current, look, selection, foot = [] } = props;
  const box = useRef<HTMLElement>(null);
  const scrolls = useScrollsSideways(box);
  const { most = items.length, rest } = props;
  const { rows } = useMemo(() => taken(items.slice(0, most), keyOf), [items, most, keyOf]);
  const see = selection?.see;
  useEffect(() => see?.(rows), [see, rows]);
  const toRow = (place: number) =>
    box.current?.querySelectorAll("tbody tr")[place]?.scrollIntoView({ block: "nearest" });
  const [cursor, setCursor] = useState<Cursor>();
  const keys = useRowKeys({ name: label, cursor, setCursor, box, rows, selection, toRow, firstInSight: () => 0 });
  const stop = cursor?.key ?? rows[0]?.key;
  return (
    <section ref={box} className="table-box" aria-label={label} {...(scrolls && { tabIndex: 0 })} {...keys}>
      <table className={look?.tight === true ? "table tight" : "table"} aria-label={label}>
        <Head columns={columns} look={look} selection={selection} rows={rows} />
        <tbody>
          {rows.map((row) => (
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
            />
          ))}
        </tbody>
        {foot.length > 0 && (
          <tfoot>
            {foot.map((cells, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: sums have no other key than their place
              <tr key={at}>
                {columns.map(({ key, label: of, number }, i) => (
                  <td key={key ?? of} className={number === true ? "number" : ""}>
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
