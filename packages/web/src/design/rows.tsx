import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { count } from "../format/numbers.ts";
import { useRowKeys } from "../table/row-keys.ts";
import { useScrollMemory } from "../table/scroll-memory.ts";
import type { Selection } from "../table/selection.ts";
import { useSteady } from "../table/steady.ts";

export interface Column<Item> {
  readonly label: string;
  /** A track of the grid, such as `120px` or `minmax(0, 2fr)`. */
  readonly width: string;
  readonly show: (item: Item) => ReactNode;
  /** Left out where there is little room. */
  readonly wide?: boolean;
  /** What the server calls it when it sorts by it. */
  readonly sort?: string;
  /** Not shown until it is chosen. */
  readonly usual?: boolean;
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
  /** As the server takes it: a column, with `-` the other way round. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  readonly selection?: Selection;
  readonly tight?: boolean;
}

const heights = { roomy: 40, tight: 28 } as const;

/** A list of any length: only the visible rows are in the page, and none of them moves while it is looked at. */
export function Rows<Item>(props: RowsProps<Item>) {
  const { label, items, columns, keyOf, hrefOf, height = 520, current, onEnd, sort = "", selection } = props;
  const box = useRef<HTMLElement>(null);
  const [, go] = useLocation();
  const [looking, setLooking] = useState(false);
  const isChosen = (selection?.chosen.size ?? 0) > 0;
  const about = `${location.search} ${sort}`;
  const { rows: steady, fresh, showNew } = useSteady(items, keyOf, !looking && !isChosen, about);
  const keys = useMemo(() => steady.map(keyOf), [steady, keyOf]);
  const narrow = typeof innerWidth === "number" && innerWidth <= 760;
  const shown = narrow ? columns.filter(({ wide }) => !wide) : columns;
  const rowHeight = heights[props.tight === true ? "tight" : "roomy"];
  const rows = useVirtualizer({
    count: steady.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialRect: { width: 800, height: 600 },
  });
  useScrollMemory(box, label, steady.length > 0);
  const last = rows.getVirtualItems().at(-1)?.index ?? 0;
  const isAtEnd = last >= steady.length - 1;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured again
  useEffect(() => rows.measure(), [rowHeight]);
  const tracks: CSSProperties = { gridTemplateColumns: shown.map(({ width }) => width).join(" ") };
  const { cursor, setCursor, onKeyDown } = useRowKeys({
    ...{ box, keys, selection },
    onOpen: hrefOf && ((place) => go(hrefOf(steady[place]!))),
    toRow: (place) => rows.scrollToIndex(place),
  });
  const [said, say] = useState("");
  useEffect(() => {
    const cells = cursor === undefined ? [] : (box.current?.querySelector(".rows-row.cursor")?.children ?? []);
    say([...cells].map(({ textContent }) => textContent).join(", "));
  }, [cursor]);
  const choose = (key: string, isThrough: boolean) => {
    setCursor(key);
    if (isThrough) selection?.through(key, keys);
    else selection?.toggle(key);
  };
  return (
    <div className={selection === undefined ? "rows" : "rows selectable"}>
      <Head columns={shown} tracks={tracks} sort={sort} {...(props.onSort && { onSort: props.onSort })} />
      {fresh > 0 && (
        <button type="button" className="chip fresh" onClick={showNew}>
          {count(fresh, "new row")}
        </button>
      )}
      <section
        className="rows-box"
        ref={box}
        style={{ height }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        onKeyDown={onKeyDown}
        onPointerEnter={() => setLooking(true)}
        onPointerLeave={() => setLooking(false)}
        onFocus={() => setLooking(true)}
        onBlur={() => setLooking(false)}
      >
        <ol style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const item = steady[index]!;
            const key = keys[index]!;
            return (
              <li key={key} aria-posinset={index + 1} aria-setsize={steady.length}>
                <Row
                  item={item}
                  columns={shown}
                  href={hrefOf?.(item)}
                  style={{ ...tracks, height: rowHeight, transform: `translateY(${start}px)` }}
                  isCurrent={current === key}
                  isCursor={key === cursor}
                />
                {selection !== undefined && (
                  <input
                    type="checkbox"
                    className="choose"
                    aria-label={`Choose ${key}`}
                    style={{ transform: `translateY(${start + rowHeight / 2 - 12}px)` }}
                    checked={selection.chosen.has(key)}
                    onClick={(event) => choose(key, event.shiftKey)}
                    onChange={() => {}}
                  />
                )}
              </li>
            );
          })}
        </ol>
      </section>
      {/* The focus stays in the list while keys move through its rows. */}
      <p className="hidden-text" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

interface RowProps<Item> {
  readonly item: Item;
  readonly columns: readonly Column<Item>[];
  readonly href: string | undefined;
  readonly style: CSSProperties;
  readonly isCurrent: boolean;
  /** Keys act on it. */
  readonly isCursor: boolean;
}

function Row<Item>({ item, columns, href, style, isCurrent, isCursor }: RowProps<Item>) {
  const look = `rows-row ${isCursor ? "cursor" : ""}`;
  const cells = columns.map((column) => (
    <span key={column.label} className="cut">
      {column.show(item)}
    </span>
  ));
  return href === undefined ? (
    <div className={look} style={style}>
      {cells}
    </div>
  ) : (
    <Link href={href} className={look} style={style} {...(isCurrent && { "aria-current": "true" })}>
      {cells}
    </Link>
  );
}

interface HeadProps<Item> {
  readonly columns: readonly Column<Item>[];
  readonly tracks: CSSProperties;
  readonly sort: string;
  readonly onSort?: (sort: string) => void;
}

/** The names of the columns; one that the server can sort by is a button. */
function Head<Item>({ columns, tracks, sort, onSort }: HeadProps<Item>) {
  return (
    <div className="rows-head" style={tracks}>
      {columns.map(({ label, sort: by }) => {
        if (by === undefined || onSort === undefined) {
          return (
            <span key={label} className="cut" aria-hidden="true">
              {label}
            </span>
          );
        }
        const mark = sort === by ? " ▲" : sort === `-${by}` ? " ▼" : "";
        return (
          <button
            key={label}
            type="button"
            className="cut sort"
            aria-pressed={mark !== ""}
            title={`Sort by ${label}`}
            onClick={() => onSort(sort === by ? `-${by}` : by)}
          >
            {label}
            {mark}
          </button>
        );
      })}
    </div>
  );
}
