import { useVirtualizer } from "@tanstack/react-virtual";
import { piecesOf } from "@tessera/wire/log-text";
import { type CSSProperties, useCallback, useEffect, useLayoutEffect, useRef } from "react";
import { spellFull, spellSeconds } from "../../format/times.ts";
import type { LogLine } from "./log-buffer.ts";

const lineHeight = 19;
/** As near to the end as this is at the end. */
const endWithin = 2 * lineHeight;

interface LogViewProps {
  readonly lines: readonly LogLine[];
  /** Keep the end in view; a reader who scrolls up lets go of it, and takes hold of it again at the end. */
  readonly follow: boolean;
  readonly onFollow: (follow: boolean) => void;
  /** `mixed` says the rank in front of each line, `columns` gives each of these ranks a column. */
  readonly ranks: "none" | "mixed" | { readonly columns: readonly number[] };
  readonly wrap: boolean;
  readonly marked: LogLine | undefined;
  readonly onMark: (line: LogLine) => void;
  /** Whether it holds what the reader looks for. */
  readonly isFound: (line: LogLine) => boolean;
}

/** Lines of a log, of which only the visible ones are in the page. */
export function LogView({ lines, follow, onFollow, ranks, wrap, marked, onMark, isFound }: LogViewProps) {
  const box = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    getItemKey: useCallback((index: number) => lines[index]!.no, [lines]),
    // Who reads an earlier line keeps it in place while lines are dropped before it, or come late.
    anchorTo: follow ? "start" : "end",
    overscan: 30,
    initialRect: { width: 800, height: 500 },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines are measured again when they are laid out in another way
  useEffect(() => rows.measure(), [wrap, rows]);
  const height = rows.getTotalSize();
  /** Where the box was scrolled to when that was last looked at. */
  const top = useRef(0);
  // Before the lines are painted: later, it would drag down a reader who has scrolled up meanwhile.
  // biome-ignore lint/correctness/useExhaustiveDependencies: also when lines have turned out to be higher
  useLayoutEffect(() => {
    const { current } = box;
    // Scrolled up in this very moment: it will be told next.
    if (current === null || !follow || current.scrollTop < top.current - endWithin) return;
    current.scrollTo(0, current.scrollHeight);
    top.current = current.scrollTop;
  }, [follow, lines, height]);
  const linesNow = useRef(lines);
  linesNow.current = lines;
  // By the line and not by its place, which changes with every line that is dropped or comes late.
  const markedNo = marked?.no;
  useEffect(() => {
    const index = markedNo === undefined ? -1 : linesNow.current.findIndex(({ no }) => no === markedNo);
    if (index >= 0) rows.scrollToIndex(index, { align: "center" });
  }, [markedNo, rows]);
  const onScroll = () => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    top.current = scrollTop;
    const atEnd = scrollHeight - scrollTop - clientHeight <= endWithin;
    if (atEnd !== follow) onFollow(atEnd);
  };
  const columns = typeof ranks === "object" ? ranks.columns : [];
  const minWidth = columns.length === 0 ? 0 : timesPx + edgesPx + columns.length * columnPxMin;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="log" ref={box} tabIndex={0} aria-label="Log" onScroll={onScroll}>
      {columns.length > 0 && (
        <div className="log-heads small quiet" style={{ minWidth }}>
          {columns.map((rank, place) => (
            <span key={rank} style={headPlace(place, columns.length)}>
              rank {rank}
            </span>
          ))}
        </div>
      )}
      <div style={{ height, minWidth, position: "relative" }}>
        {rows.getVirtualItems().map((row) => {
          const line = lines[row.index]!;
          const looks = [
            ...["line", line.stream],
            ...(line === marked ? ["marked"] : isFound(line) ? ["found"] : []),
            ...(columns.length > 0 ? ["in-columns"] : []),
            ...(wrap ? ["wrapped"] : []),
          ];
          return (
            <div
              key={row.key}
              className={looks.join(" ")}
              style={{ transform: `translateY(${row.start}px)` }}
              {...(wrap && { ref: rows.measureElement, "data-index": row.index })}
            >
              {/* Not reached by Tab: there are thousands. "next error" and Find mark lines by keyboard. */}
              <button
                type="button"
                tabIndex={-1}
                className="at"
                title={spellFull(line.at)}
                onClick={() => onMark(line)}
              >
                {spellSeconds(line.at)}
              </button>
              {ranks === "mixed" && <span className={`rank r${line.rank % 8}`}>[{line.rank}]</span>}
              <Text line={line} columns={columns} />
            </div>
          );
        })}
      </div>
    </section>
  );
}

/** What the times, the edges and the gap between columns take. */
const [timesPx, edgesPx, gapPx] = [74, 32, 10];
/** A narrow window scrolls sideways. */
const columnPxMin = 110;

/** Where the column of a rank is in a box of this width in CSS, and how wide it is. */
function columnIn(width: string, place: number, columns: number): { left: string; width: string } {
  const all = `(${width} - ${timesPx}px)`;
  return { left: `${timesPx}px + ${all} * ${place / columns}`, width: `calc(${all} / ${columns} - ${gapPx}px)` };
}

function headPlace(place: number, columns: number): CSSProperties {
  const { left, width } = columnIn(`100% - ${edgesPx}px`, place, columns);
  return { left: `calc(${edgesPx / 2}px + ${left})`, width };
}

function textPlace(place: number, columns: number): CSSProperties {
  const { left, width } = columnIn("100%", place, columns);
  return { marginLeft: `calc(${left})`, width };
}

function Text({ line: { text, rank }, columns }: { line: LogLine; columns: readonly number[] }) {
  const place = columns.indexOf(rank);
  return (
    <span className="text" style={place < 0 ? {} : textPlace(place, columns.length)}>
      {piecesOf(text).map(({ text: piece, look }, i) =>
        look === "" ? (
          piece
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a line never change
          <span key={i} className={look}>
            {piece}
          </span>
        ),
      )}
    </span>
  );
}
