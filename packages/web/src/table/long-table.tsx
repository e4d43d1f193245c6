import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, useEffect, useMemo, useRef, useState } from "react";
import { useNarrow } from "../design/narrow.ts";
import { Empty, Skeleton } from "../design/parts.tsx";
import { hasJustActed, isAttended } from "../frame/attention.ts";
import { type Cursor, useScrollPlace } from "../frame/scroll-places.ts";
import { firstLineOf, leastWidthOf, tracksOf } from "./column.ts";
import { Head, roles } from "./head.tsx";
import { Row } from "./row.tsx";
import { useRowKeys } from "./row-keys.ts";
import { waitingWords } from "./steady-rows.ts";
import type { TableProps } from "./table.tsx";
import { useSteady } from "./use-steady.ts";

type LongProps<Item> = TableProps<Item> & { readonly height: number | string };

const headPx = 32;
const rowPx = { roomy: 40, tight: 28, twoLines: 60, twoLinesTight: 52 } as const;
/** The bar of acts lies over the last rows, on a phone in several lines: rows can be scrolled out from under it. */
const barPx = { wide: 72, narrow: 140 } as const;
const none: readonly never[] = [];
const skeletonLines = 8;
const skeletonPx = 260;

/**
 * A list of any length: only the rows in sight are in the page, and none of them moves while somebody may be reading.
 * On a phone a row has two lines, unless columns were chosen: then those are shown, and the table scrolls sideways.
 */
export function LongTable<Item>(props: LongProps<Item>) {
  const { label, items = none, columns, keyOf, hrefOf, nameOf = keyOf, current, look, selection, pages } = props;
  const box = useRef<HTMLElement>(null);
  const about = `${props.about ?? ""} ${look?.sort ?? ""}`;
  const isInUse = useRef(false);
  const mayMove = (isNew: boolean) => {
    if ((box.current?.scrollTop ?? 0) > 0 || (selection?.keys.size ?? 0) > 0) return false;
    return isNew || hasJustActed() || (!isAttended() && !isInUse.current);
  };
  const isWhole = pages?.isWhole ?? true;
  const isRead = items.length > 0 && pages?.isFetching !== true;
  const { list, take } = useSteady({ items, keyOf, about, isWhole, isRead, mayMove });
  const { rows } = list;
  const see = selection?.see;
  useEffect(() => see?.(rows), [see, rows]);

  const narrow = useNarrow();
  const hasTwoLines = narrow && (look?.columns ?? "") === "" && columns.some(({ below }) => below === true);
  const tight = look?.tight === true;
  const height = hasTwoLines ? rowPx[tight ? "twoLinesTight" : "twoLines"] : rowPx[tight ? "tight" : "roomy"];
  const [cursor, setCursor] = useState<Cursor>();
  const at = useMemo(() => rows.findIndex(({ key }) => key === cursor?.key), [rows, cursor]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: headPx,
    scrollPaddingStart: headPx,
    initialRect: { width: 800, height: 600 },
    // The row that has the focus stays in the page, wherever the reader scrolls.
    rangeExtractor: (range) => withPlace(defaultRangeExtractor(range), at, range),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height are measured again
  useEffect(() => virtual.measure(), [height]);
  const name = `${label} ${about}`;
  useScrollPlace(box, name, rows.length > 0);
  const shown = virtual.getVirtualItems();
  const isAtEnd = (virtual.range?.endIndex ?? 0) >= rows.length - 1;
  const more = pages?.more;
  useEffect(() => {
    if (isAtEnd) more?.();
  }, [isAtEnd, more]);

  const toRow = (place: number) => virtual.scrollToIndex(place);
  const firstInSight = () => Math.max(0, Math.ceil(((box.current?.scrollTop ?? 0) - 1) / height));
  const keys = useRowKeys({ name, cursor, setCursor, box, rows, selection, toRow, firstInSight });
  isInUse.current = cursor !== undefined;
  const stop = at >= 0 ? at : (virtual.range?.startIndex ?? 0);

  const toFresh = useRef<string>(undefined);
  const showFresh = () => {
    toFresh.current = list.fresh[0];
    take();
    box.current?.focus({ preventScroll: true });
  };
  useEffect(() => {
    const place = rows.findIndex(({ key }) => key === toFresh.current);
    toFresh.current = undefined;
    if (place >= 0) virtual.scrollToIndex(place, { align: "center" });
  }, [rows, virtual]);

  const words = waitingWords(list);
  const rooms = useMemo(() => (hasTwoLines ? firstLineOf(columns) : undefined), [hasTwoLines, columns]);
  const tracks = hasTwoLines ? "" : tracksOf(columns);
  const rest = (selection?.keys.size ?? 0) > 0 ? barPx[narrow ? "narrow" : "wide"] : 0;
  const rowStyle = (start: number): CSSProperties => ({
    gridTemplateColumns: tracks,
    height,
    transform: `translateY(${start - headPx}px)`,
  });
  // A page may be empty and lead on to others.
  const isAwaited = props.items === undefined || !isWhole;
  const length = rows.length === 0 ? skeletonPx : virtual.getTotalSize() + rest;
  return (
    <div className={`long ${hasTwoLines ? "two-lines" : ""} ${selection === undefined ? "" : "selectable"}`}>
      {words !== "" && (
        <button type="button" className="chip fresh" onClick={showFresh}>
          {words}
        </button>
      )}
      <section
        ref={box}
        className="table-box"
        style={{ height: `min(${cssOf(props.height)}, ${length + headPx + 1}px)` }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        {...keys}
      >
        <table
          className="table"
          {...roles.table}
          aria-label={label}
          aria-rowcount={isWhole ? rows.length + 1 : pages?.total === undefined ? -1 : pages.total + 1}
          {...(!hasTwoLines && { style: { minWidth: leastWidthOf(columns, selection !== undefined) } })}
        >
          <Head columns={columns} look={look} selection={selection} rows={rows} placed={{ tracks, rooms }} />
          <tbody {...roles.group} style={{ height: rows.length === 0 ? 0 : length }}>
            {shown.map(({ index, start }) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <Row
                  key={row.key}
                  row={row}
                  columns={columns}
                  href={hrefOf?.(row.item)}
                  name={nameOf(row.item)}
                  isCurrent={row.key === current}
                  isStop={index === stop}
                  selection={selection}
                  onThrough={(key) => selection?.through(key, rows)}
                  at={{ index, style: rowStyle(start), rooms }}
                />
              );
            })}
          </tbody>
        </table>
        {rows.length > 0 ? null : isAwaited ? (
          <Skeleton lines={skeletonLines} />
        ) : (
          (props.empty ?? <Empty title="Nothing is here" />)
        )}
      </section>
    </div>
  );
}

function cssOf(height: number | string): string {
  return typeof height === "number" ? `${height}px` : height;
}

function withPlace(shown: number[], place: number, { count }: Range): number[] {
  return place < 0 || place >= count || shown.includes(place) ? shown : [...shown, place].sort((a, b) => a - b);
}
