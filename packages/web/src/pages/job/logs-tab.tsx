import type { Job, LogEntry } from "@tessera/wire";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { addressOf } from "../../api/call.ts";
import { withProof } from "../../api/proof.ts";
import { Card, Empty, Notice } from "../../design/parts.tsx";
import { saveBlob } from "../../format/csv.ts";
import { count } from "../../format/numbers.ts";
import { zoneName } from "../../format/zone.ts";
import { toast } from "../../frame/toasts.tsx";
import { findLine, nameOfLine, useLogLines } from "./log-lines.ts";
import { isTrouble, plainText } from "./log-text.ts";
import { LogView } from "./log-view.tsx";

/** More ranks than these do not fit side by side. */
const columnsMax = 8;

/** What the job prints, as it prints it: all ranks by time, side by side, or one. */
export function LogsTab({ job }: { job: Job }) {
  const [params, setParams] = useSearchParams();
  const [text, setText] = useState("");
  const live = job.state !== "ended" && job.state !== "waiting";
  const [follow, setFollow] = useState(live && !params.has("line"));
  const line = params.get("line");
  const [whole, setWhole] = useState(line !== null);
  const ranks = Math.max(job.members.length, job.attempts?.at(-1)?.nodes.length ?? 0, 1);
  const shape = params.get("rank") ?? "all";
  const rank = /^\d+$/.test(shape) ? Number(shape) : undefined;
  const { lines, state, cut, why } = useLogLines(job.id, rank, live, whole);
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return wanted === "" ? lines : lines.filter((line) => plainText(line.text).toLowerCase().includes(wanted));
  }, [lines, text]);
  const change = (name: string, value: string) =>
    setParams(
      (before) => {
        before.set(name, value);
        return before;
      },
      { replace: true },
    );
  const marked = useMemo(() => findLine(lines, line), [lines, line]);
  const mark = (line: LogEntry) => {
    setFollow(false);
    change("line", nameOfLine(lines, line));
  };
  const nextTrouble = () => {
    const from = marked === undefined ? -1 : shown.indexOf(marked);
    const next = shown.find((line, i) => i > from && isTrouble(line)) ?? shown.find(isTrouble);
    if (next === undefined) toast("good", "No line looks like an error.");
    else mark(next);
  };
  return (
    <Card
      flush
      title={`${cut && text === "" ? "the newest " : ""}${count(shown.length, "line")}, times in ${zoneName()}`}
      beside={
        <div className="row wrap">
          {ranks > 1 && (
            <select
              className="input"
              style={{ width: 150 }}
              aria-label="Rank"
              value={shape}
              onChange={(event) => change("rank", event.target.value)}
            >
              <option value="all">all ranks</option>
              {ranks <= columnsMax && <option value="columns">ranks as columns</option>}
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
          <button type="button" className="chip" onClick={nextTrouble}>
            next error
          </button>
          {live && (
            <button type="button" className="chip" aria-pressed={follow} onClick={() => setFollow(!follow)}>
              follow
            </button>
          )}
          {cut && !whole && (
            <button type="button" className="chip" onClick={() => setWhole(true)}>
              earlier lines
            </button>
          )}
          <button type="button" className="chip" onClick={() => void saveLog(job)}>
            Download
          </button>
        </div>
      }
    >
      {line !== null && marked === undefined && (state === "ended" || cut) && (
        <Notice kind="warn">
          The line of this link is not among the newest {count(lines.length, "line")}. Download has all lines that are
          kept.
        </Notice>
      )}
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
        <LogView
          lines={shown}
          follow={follow}
          onFollow={setFollow}
          ranks={shape === "columns" ? { columns: ranks } : ranks > 1 && rank === undefined ? "mixed" : "none"}
          marked={marked}
          onMark={mark}
        />
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
