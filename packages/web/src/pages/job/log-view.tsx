import { useVirtualizer } from "@tanstack/react-virtual";
import type { LogEntry } from "@tessera/wire";
import { type CSSProperties, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { spellFull, spellSeconds } from "../../format/times.ts";
import { piecesOf } from "./log-text.ts";

const lineHeight = 19;
/** As near to the end as this is at the end. */
const endWithin = 2 * lineHeight;

interface LogViewProps {
  readonly lines: readonly LogEntry[];
  /** Keep the end in view; a reader who scrolls up lets go of it, and takes hold of it again at the end. */
  readonly follow: boolean;
  readonly onFollow: (follow: boolean) => void;
  /** `mixed` says the rank in front of each line, `columns` gives each of so many ranks a column. */
  readonly ranks: "none" | "mixed" | { readonly columns: number };
  readonly marked: LogEntry | undefined;
  readonly onMark: (line: LogEntry) => void;
}

/** Lines of a log, of which only the visible ones are in the page. */
export function LogView({ lines, follow, onFollow, ranks, marked, onMark }: LogViewProps) {
  const box = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 30,
    initialRect: { width: 800, height: 500 },
  });
  // Before the lines are painted: later, it would drag down a reader who has scrolled up meanwhile.
  useLayoutEffect(() => {
    if (follow && lines.length > 0) box.current?.scrollTo(0, box.current.scrollHeight);
  }, [follow, lines.length]);
  useMarked(box, marked === undefined ? -1 : lines.indexOf(marked));
  const onScroll = () => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    const atEnd = scrollHeight - scrollTop - clientHeight <= endWithin;
    if (atEnd !== follow) onFollow(atEnd);
  };
  const columns = typeof ranks === "object" ? ranks.columns : 0;
  return (
    <>
      {columns > 0 && (
        <div className="log-heads small quiet">
          {[...Array(columns).keys()].map((rank) => (
            <span key={rank} style={placeOf(rank, columns)}>
              rank {rank}
            </span>
          ))}
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className="log" ref={box} tabIndex={0} aria-label="Log" onScroll={onScroll}>
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((row) => {
            const line = lines[row.index]!;
            return (
              <div
                key={row.key}
                className={`line ${line.stream} ${line === marked ? "marked" : ""} ${columns > 0 ? "in-columns" : ""}`}
                style={{ transform: `translateY(${row.start}px)` }}
              >
                {/* Not reached by Tab: there are thousands. "next error" marks lines by keyboard. */}
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
    </>
  );
}

/** The column of a rank, beside the times. */
function placeOf(rank: number, columns: number): CSSProperties {
  return { left: `calc(90px + (100% - 106px) * ${rank / columns})`, width: `calc((100% - 106px) / ${columns} - 10px)` };
}

function Text({ line: { text, rank }, columns }: { line: LogEntry; columns: number }) {
  const place = columns === 0 ? {} : placeOf(rank, columns);
  return (
    <span className="text" style={place}>
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

/** Brings the marked line into the middle. */
function useMarked(box: RefObject<HTMLElement | null>, at: number): void {
  useEffect(() => {
    if (at >= 0) box.current?.scrollTo(0, Math.max(0, at * lineHeight - box.current.clientHeight / 2));
  }, [box, at]);
}
