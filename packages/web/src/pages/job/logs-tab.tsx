import { useVirtualizer } from "@tanstack/react-virtual";
import type { Job, LogEntry } from "@tessera/wire";
import { useEffect, useMemo, useRef, useState } from "react";
import { addressOf } from "../../api/call.ts";
import { withProof } from "../../api/proof.ts";
import { Card, Empty } from "../../design/parts.tsx";
import { saveBlob } from "../../format/csv.ts";
import { spellNumber } from "../../format/numbers.ts";
import { toast } from "../../frame/toasts.tsx";
import { useLogLines } from "./log-lines.ts";

/** What the job prints, as it prints it: all ranks merged by time, or one. */
export function LogsTab({ job }: { job: Job }) {
  const [rank, setRank] = useState<number | undefined>();
  const [text, setText] = useState("");
  const [follow, setFollow] = useState(true);
  const live = job.state !== "ended" && job.state !== "waiting";
  const { lines, state, dropped, why } = useLogLines(job.id, rank, undefined, live);
  const shown = useMemo(
    () => (text === "" ? lines : lines.filter((line) => line.text.toLowerCase().includes(text.toLowerCase()))),
    [lines, text],
  );
  const ranks = Math.max(job.members.length, 1);
  return (
    <Card
      flush
      title={`${spellNumber(shown.length)} lines${dropped > 0 ? `, ${spellNumber(dropped)} before` : ""}`}
      beside={
        <div className="row wrap">
          {ranks > 1 && (
            <select
              className="input"
              style={{ width: 130 }}
              aria-label="Rank"
              value={rank ?? ""}
              onChange={(event) => setRank(event.target.value === "" ? undefined : Number(event.target.value))}
            >
              <option value="">all ranks</option>
              {[...Array(ranks).keys()].map((each) => (
                <option key={each} value={each}>
                  rank {each}
                </option>
              ))}
            </select>
          )}
          <input
            className="input"
            style={{ width: 180 }}
            aria-label="Find in the log"
            placeholder="Find"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          {live && (
            <button type="button" className="chip" aria-pressed={follow} onClick={() => setFollow(!follow)}>
              follow
            </button>
          )}
          <button type="button" className="chip" onClick={() => void saveLog(job)}>
            Download
          </button>
        </div>
      }
    >
      {shown.length === 0 ? (
        <Empty
          title={
            why ??
            (job.state === "waiting"
              ? "It has not started"
              : state === "reading"
                ? "Reading the log"
                : "Nothing was printed")
          }
          command={`npx tess logs ${job.id} -f`}
        />
      ) : (
        <Lines lines={shown} follow={follow && live} ranks={ranks > 1 && rank === undefined} />
      )}
    </Card>
  );
}

/** By a request and not by a link: a link cannot show the proof of the session. */
async function saveLog({ id, name }: Job): Promise<void> {
  const response = await fetch(addressOf("readLogs", { job: id }), { headers: withProof() });
  if (response.ok) saveBlob(`${name}.ndjson`, await response.blob());
  else toast("bad", "The log could not be read.");
}

const lineHeight = 19;

function Lines({ lines, follow, ranks }: { lines: readonly LogEntry[]; follow: boolean; ranks: boolean }) {
  const box = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 30,
    initialRect: { width: 800, height: 500 },
  });
  useEffect(() => {
    if (follow && lines.length > 0) box.current?.scrollTo(0, box.current.scrollHeight);
  }, [follow, lines.length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className="log" ref={box} tabIndex={0} aria-label="Log">
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map((row) => {
          const line = lines[row.index]!;
          return (
            <div key={row.key} className={`line ${line.stream}`} style={{ transform: `translateY(${row.start}px)` }}>
              <span className="at" title={line.at}>
                {line.at.slice(11, 19)}
              </span>
              {ranks && <span className={`rank r${line.rank % 8}`}>[{line.rank}]</span>}
              <span>{line.text}</span>
            </div>
          );
        })}
      </div>
    </section>
  );
}
