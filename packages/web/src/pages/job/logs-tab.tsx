import type { Job } from "@tessera/wire";
import { isTrouble, plainText } from "@tessera/wire/log-text";
import { useMemo, useState } from "react";
import { addressOf, wordsOf } from "../../api/call.ts";
import { keep, readKept } from "../../api/kept.ts";
import { withProof } from "../../api/proof.ts";
import { Card, Empty, Notice } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { saveBlob } from "../../format/csv.ts";
import { count } from "../../format/numbers.ts";
import { spellDay } from "../../format/times.ts";
import { zoneName } from "../../format/zone.ts";
import { useAddress } from "../../frame/address.ts";
import { copyText } from "../../frame/copy.ts";
import { toast } from "../../frame/toasts.tsx";
import { LastError } from "./last-error.tsx";
import type { LogLine } from "./log-buffer.ts";
import { columnsMax, columnsOf } from "./log-places.ts";
import { findBeyond, nextLine, type Wanted } from "./log-search.ts";
import { LogView } from "./log-view.tsx";
import { rankOptions } from "./rank-options.ts";
import { type LogShown, useLog } from "./use-log.ts";
import { useLogPlace } from "./use-log-place.ts";

const wrapPlace = "tessera-log-wrap";

/** What the job prints, as it prints it: all ranks by time, side by side, or one. */
export function LogsTab({ job }: { job: Job }) {
  const [params, set] = useAddress();
  const live = job.state !== "ended" && job.state !== "waiting";
  // The end of a log is what one reads first, also when nothing more comes.
  const [follow, setFollow] = useState(!params.has("line"));
  const [whole, setWhole] = useState(false);
  const [wrap, setWrap] = useState(readKept(wrapPlace) === true);
  const ranks = Math.max(job.members.length, job.attempts?.at(-1)?.nodes.length ?? 0, 1);
  const shape = params.get("rank") ?? "all";
  const rank = /^\d+$/.test(shape) ? Number(shape) : undefined;
  const columns = shape === "columns" && ranks > 1 ? columnsOf(params.get("ranks"), ranks) : undefined;
  const text = params.get("find") ?? "";
  const only = params.get("only");
  // With many ranks, a few thousand lines are only a few of each.
  const newest = useLog({ job: job.id, rank, ranks, live, whole: whole || ranks > columnsMax });
  const place = useLogPlace(job.id, rank, newest);
  const { lines, marked } = place;
  const isFound = useMemo(() => finderOf(text), [text]);
  const columnsKey = columns?.join();
  const shown = useMemo(() => {
    const among = columnsKey?.split(",").map(Number);
    return lines.filter(
      (line) =>
        (among === undefined || among.includes(line.rank)) &&
        (only !== "stderr" || line.stream === "stderr") &&
        (only !== "found" || text === "" || isFound(line)),
    );
  }, [lines, columnsKey, only, text, isFound]);
  const mark = (line: LogLine) => {
    setFollow(false);
    place.mark(line);
  };
  const goTo: typeof place.goTo = (line) => {
    setFollow(false);
    place.goTo(line);
  };
  const seek = async (step: 1 | -1, is: (line: LogLine) => boolean, wanted: Wanted, what: string) => {
    const next = nextLine(shown, marked, step, is);
    if (next !== undefined) return mark(next);
    // Nothing further in what was read: the rest is looked through where it lies. A first look also goes back.
    const back = step < 0 || (marked === undefined && !place.cutAfter);
    if (back ? place.cutBefore : place.cutAfter) {
      const found = await findBeyond({ job: job.id, rank }, wanted, back ? -1 : 1, lines);
      if (found !== undefined) return goTo(found);
    }
    const side = marked === undefined ? "" : step > 0 ? "later " : "earlier ";
    toast("good", `No ${side}line ${what}.`);
  };
  const look = (step: 1 | -1, is: (line: LogLine) => boolean, wanted: Wanted, what: string) =>
    void seek(step, is, wanted, what).catch((error) => toast("bad", wordsOf(error)));
  const lookForError = (step: 1 | -1) => look(step, isTrouble, { errors: true }, "looks like an error");
  const lookForText = (step: 1 | -1) => {
    if (text !== "") look(step, isFound, { find: text }, `has “${text}”`);
  };
  const matches = useMemo(() => (text === "" ? [] : shown.filter(isFound)), [shown, text, isFound]);
  const chooseOnly = (value: "stderr" | "found") => set({ only: only === value ? undefined : value });
  return (
    <Card
      flush
      title={
        place.at === undefined
          ? `${place.cutBefore ? "the newest " : ""}${count(shown.length, "line")}, times in ${zoneName()}`
          : `${count(shown.length, "line")} around ${spellDay(Date.parse(place.at))}, times in ${zoneName()}`
      }
      beside={
        <div className="row wrap log-tools">
          {ranks > 1 && (
            <Select
              style={{ width: 150 }}
              aria-label="Rank"
              value={shape}
              of={[["all", "all ranks"], ["columns", "ranks as columns"], ...rankOptions(ranks)]}
              onChange={(next) => set({ rank: next === "all" ? undefined : next })}
            />
          )}
          {columns !== undefined && ranks > columnsMax && <ColumnsField columns={columns} />}
          <input
            className="input"
            style={{ width: 180 }}
            aria-label="Find in the log"
            placeholder="Find"
            maxLength={200}
            value={text}
            onChange={(event) => set({ find: event.target.value })}
            onKeyDown={({ key, shiftKey }) => key === "Enter" && lookForText(shiftKey ? -1 : 1)}
          />
          {text !== "" && (
            <>
              <span className="quiet small nowrap">
                {marked !== undefined && matches.includes(marked) ? `${matches.indexOf(marked) + 1} of ` : ""}
                {count(matches.length, "match", "matches")}
              </span>
              <Tool onClick={() => lookForText(-1)}>previous match</Tool>
              <Tool onClick={() => lookForText(1)}>next match</Tool>
              <Tool pressed={only === "found"} onClick={() => chooseOnly("found")}>
                only matches
              </Tool>
            </>
          )}
          <Tool onClick={() => lookForError(-1)}>previous error</Tool>
          <Tool onClick={() => lookForError(1)}>next error</Tool>
          <Tool pressed={only === "stderr"} onClick={() => chooseOnly("stderr")}>
            stderr only
          </Tool>
          <Tool
            pressed={wrap}
            onClick={() => {
              setWrap(!wrap);
              keep(wrapPlace, !wrap);
            }}
          >
            wrap
          </Tool>
          {live && place.at === undefined && (
            <Tool pressed={follow} onClick={() => setFollow(!follow)}>
              follow
            </Tool>
          )}
          {place.at !== undefined && <Tool onClick={place.leave}>newest lines</Tool>}
          {place.at === undefined && place.cutBefore && !whole && ranks <= columnsMax && (
            <Tool onClick={() => setWhole(true)}>earlier lines</Tool>
          )}
          {marked !== undefined && (
            <Tool onClick={() => void copyText(location.href, "The link to the line is copied.")}>copy link</Tool>
          )}
          <Tool onClick={() => void saveLog(job)}>Download</Tool>
        </div>
      }
    >
      <LastError job={job} onGo={goTo} />
      {place.isGone && <Notice kind="warn">The line of this link is not in the log, or no longer kept.</Notice>}
      {shown.length === 0 ? (
        <Empty
          title={newest.why ?? emptyText(job, newest.state, lines.length > 0)}
          command={`npx tess logs ${job.id} -f`}
        />
      ) : (
        <LogView
          key={place.at ?? "newest"}
          lines={shown}
          follow={follow && place.at === undefined}
          onFollow={setFollow}
          ranks={columns !== undefined ? { columns } : ranks > 1 && rank === undefined ? "mixed" : "none"}
          wrap={wrap}
          marked={marked}
          onMark={mark}
          isFound={isFound}
        />
      )}
    </Card>
  );
}

function Tool(props: { pressed?: boolean; onClick: () => void; children: string }) {
  const { pressed, onClick, children } = props;
  return (
    <button type="button" className="chip" aria-pressed={pressed} onClick={onClick}>
      {children}
    </button>
  );
}

/** Which ranks stand side by side, where not all fit. */
function ColumnsField({ columns }: { columns: readonly number[] }) {
  const [params, set] = useAddress();
  return (
    <label className="row quiet small">
      ranks
      <input
        className="input"
        style={{ width: 110 }}
        aria-label="Ranks side by side"
        title={`Up to ${columnsMax} ranks fit side by side, such as 0-3, 12`}
        placeholder={`${columns[0]}-${columns.at(-1)}`}
        maxLength={100}
        value={params.get("ranks") ?? ""}
        onChange={(event) => set({ ranks: event.target.value })}
      />
      up to {columnsMax} fit
    </label>
  );
}

function finderOf(text: string): (line: LogLine) => boolean {
  const wanted = text.toLowerCase();
  return (line) => wanted !== "" && plainText(line.text).toLowerCase().includes(wanted);
}

function emptyText(job: Job, state: LogShown["state"], isFiltered: boolean): string {
  if (isFiltered) return "No line is left by what is chosen above";
  if (job.state === "waiting") return "It has not started";
  if (state === "reading") return "Reading the log";
  return state === "following" ? "Nothing printed yet" : "Nothing was printed";
}

/** By a request and not by a link: a link cannot show the proof of the session. */
async function saveLog({ id, name }: Job): Promise<void> {
  const response = await fetch(addressOf("readLogs", { job: id }), { headers: withProof() });
  if (response.ok) saveBlob(`${name}.ndjson`, await response.blob());
  else toast("bad", "The log could not be read.");
}
