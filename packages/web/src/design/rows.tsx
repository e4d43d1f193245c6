import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";

export interface Column<Item> {
  readonly label: string;
  /** A track of the grid, such as `120px` or `minmax(0, 2fr)`. */
  readonly width: string;
  readonly show: (item: Item) => ReactNode;
  /** Left out where there is little room. */
  readonly wide?: boolean;
}

interface RowsProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  readonly hrefOf?: (item: Item) => string;
  readonly height?: number | string;
  readonly current?: string | undefined;
  /** Called when the end comes into sight: there is more to read. */
  readonly onEnd?: (() => void) | undefined;
}

const rowHeight = 40;

/** A list of any length: only the visible rows are in the page. */
export function Rows<Item>({ label, items, columns, keyOf, hrefOf, height = 520, current, onEnd }: RowsProps<Item>) {
  const box = useRef<HTMLElement>(null);
  const narrow = typeof innerWidth === "number" && innerWidth <= 760;
  const shown = narrow ? columns.filter(({ wide }) => !wide) : columns;
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialRect: { width: 800, height: 600 },
  });
  const last = rows.getVirtualItems().at(-1)?.index ?? 0;
  const isAtEnd = last >= items.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  const tracks: CSSProperties = { gridTemplateColumns: shown.map(({ width }) => width).join(" ") };
  return (
    <div>
      <div className="rows-head" style={tracks} aria-hidden="true">
        {shown.map((column) => (
          <span key={column.label} className="cut">
            {column.label}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className="rows-box" ref={box} style={{ height }} tabIndex={0} aria-label={label}>
        <ol style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((row) => {
            const item = items[row.index]!;
            const key = keyOf(item);
            const cells = shown.map((column) => (
              <span key={column.label} className="cut">
                {column.show(item)}
              </span>
            ));
            const style = { ...tracks, transform: `translateY(${row.start}px)` };
            return (
              <li key={key} aria-posinset={row.index + 1} aria-setsize={items.length}>
                {hrefOf === undefined ? (
                  <div className="rows-row" style={style}>
                    {cells}
                  </div>
                ) : (
                  <Link
                    href={hrefOf(item)}
                    className="rows-row"
                    style={style}
                    {...(current === key && { "aria-current": "true" })}
                  >
                    {cells}
                  </Link>
                )}
              </li>
            );
          })}
        </ol>
      </section>
    </div>
  );
}
