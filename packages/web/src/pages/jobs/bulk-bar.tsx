import { useQueryClient } from "@tanstack/react-query";
import type { Job, QueryOf } from "@tessera/wire";
import { useState } from "react";
import { call, callAll, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { takingBack } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Field } from "../../design/parts.tsx";
import { readWhole } from "../../format/decimal.ts";
import { count, spellNumber } from "../../format/numbers.ts";
import { noteAct } from "../../frame/attention.ts";
import { toast } from "../../frame/toasts.tsx";
import type { Selection } from "../../table/selection.ts";
import { type BulkAct, bulkActs, concerns, doEach, effectOf, prioritiesOf, routeOf } from "./bulk.ts";
import { LabelDialog } from "./label-dialog.tsx";

const words: Readonly<Record<BulkAct, string>> = {
  cancel: "Cancel",
  hold: "Hold",
  release: "Release",
  priority: "Priority",
};
const priorities = { least: -1_000, most: 1_000 };
/** At most this many jobs are chosen at once: each is a request of its own. */
const chosenMax = 1_000;

interface BulkProps {
  readonly selection: Selection<Job>;
  /** What cuts and orders the list, for choosing more of it than is shown. */
  readonly query: QueryOf<"listJobs">;
  /** Jobs in the list; undefined where they are not counted. */
  readonly total: number | undefined;
}

/** What can be done with the chosen jobs at once. */
export function BulkBar({ selection, query, total }: BulkProps) {
  const { items: jobs, left, clear } = selection;
  const [asking, setAsking] = useState<BulkAct>();
  const offered = bulkActs.filter((act) => jobs.some((job) => mayDo(routeOf[act], job)));
  const [labelling, setLabelling] = useState(false);
  const labelled = jobs.filter((job) => mayDo("editJob", job));
  return (
    <section className="bulk-bar row wrap" aria-label="Chosen jobs">
      <strong>{count(jobs.length, "job")} chosen</strong>
      {left.length > 0 && <span className="quiet">{spellNumber(left.length)} more left the list</span>}
      <ChooseMore selection={selection} query={query} total={total} />
      {offered.length === 0 && jobs.length > 0 && <span className="quiet">You may change none of them.</span>}
      {offered.map((act) => (
        <Button
          key={act}
          small
          data-act={routeOf[act]}
          kind={act === "cancel" ? "danger" : "usual"}
          disabled={!jobs.some((job) => concerns(act, job))}
          onClick={() => setAsking(act)}
        >
          {words[act]}
        </Button>
      ))}
      {labelled.length > 0 && (
        <Button
          small
          data-act="editJob"
          disabled={labelled.every(({ state }) => state === "ended")}
          onClick={() => setLabelling(true)}
        >
          Label
        </Button>
      )}
      <Button small kind="plain" onClick={clear}>
        Choose none
      </Button>
      {asking !== undefined && (
        <Ask act={asking} jobs={jobs} left={left.length} onClose={() => setAsking(undefined)} onDone={clear} />
      )}
      {labelling && <LabelDialog jobs={labelled} onClose={() => setLabelling(false)} onDone={clear} />}
    </section>
  );
}

/** Chooses every job of the list, also those that are not shown yet. */
function ChooseMore({ selection, query, total }: BulkProps) {
  const [reading, setReading] = useState(false);
  if (total === undefined || selection.items.length >= Math.min(total, chosenMax)) return null;
  const choose = async () => {
    setReading(true);
    try {
      const found = await callAll("listJobs", query, { most: chosenMax });
      selection.add(found.map((item) => ({ key: item.id, item })));
    } catch (error) {
      toast("bad", wordsOf(error));
    }
    setReading(false);
  };
  return (
    <Button small kind="plain" disabled={reading} onClick={() => void choose()}>
      {total > chosenMax
        ? `Choose the first ${spellNumber(chosenMax)} of ${spellNumber(total)}`
        : `Choose all ${spellNumber(total)}`}
    </Button>
  );
}

interface AskProps {
  readonly act: BulkAct;
  readonly jobs: readonly Job[];
  /** How many were chosen besides, and left the list. */
  readonly left: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Ask({ act, jobs, left, onClose, onDone }: AskProps) {
  const queries = useQueryClient();
  const changed = jobs.filter((job) => concerns(act, job));
  const now = prioritiesOf(changed);
  const usual = now === undefined || now.least < now.most ? "" : String(now.least);
  // Which jobs were chosen is gone after a session that ends; what was typed is there when they are chosen again.
  const [priority, setPriority, drop] = useDraft("priority of jobs", usual);
  const [done, setDone] = useState<number>();
  const read = act === "priority" ? readWhole(priority, priorities) : undefined;
  const isUnread = read !== undefined && "wrong" in read;
  const asked = read !== undefined && "value" in read ? read.value : undefined;
  const one = ({ id: job }: Job) => {
    if (act === "cancel") return call("cancelJob", { at: { job }, body: {} });
    if (act === "hold") return call("holdJob", { at: { job }, body: {} });
    if (act === "release") return call("releaseJob", { at: { job }, body: {} });
    return call("editJob", { at: { job }, body: { set: { priority: asked! } } });
  };
  const doAll = async () => {
    setDone(0);
    const refused = await doEach(changed, one, setDone);
    noteAct();
    void queries.invalidateQueries();
    const first = refused[0];
    const takesBack = takenBackBy[act];
    const takeBack = takesBack && takingBack(queries, () => undoAll(takesBack, changed));
    if (first === undefined) toast("good", `${words[act]}: ${count(changed.length, "job")}.`, takeBack);
    else toast("bad", `${count(refused.length, "job")} refused, such as ${first.item.name}: ${wordsOf(first.error)}`);
    drop();
    onClose();
    onDone();
  };
  const close = () => {
    drop();
    onClose();
  };
  return (
    <Confirm
      title={`${words[act]} ${count(changed.length, "job")}?`}
      act={done === undefined ? `${words[act]} ${count(changed.length, "job")}` : `${done} of ${changed.length}`}
      busy={done !== undefined || isUnread || changed.length === 0}
      harmless={act !== "cancel"}
      {...(act === "cancel" && { keep: changed.length === 1 ? "Keep it" : "Keep them" })}
      onAct={() => void doAll()}
      onClose={close}
    >
      {act === "priority" && now !== undefined && (
        <Field
          label="Priority"
          wrong={isUnread && priority !== "" ? read.wrong : undefined}
          hint={
            now.least === now.most
              ? `Now ${spellNumber(now.least)}`
              : `Now from ${spellNumber(now.least)} to ${spellNumber(now.most)}`
          }
        >
          {(props) => (
            <input
              {...props}
              className="input"
              value={priority}
              onChange={(event) => setPriority(event.target.value)}
            />
          )}
        </Field>
      )}
      <p>{effectOf(act, jobs, { left, priority: asked })}</p>
      <p className="quiet small">
        {changed
          .slice(0, 8)
          .map(({ name }) => name)
          .join(", ")}
        {changed.length > 8 && ` and ${changed.length - 8} more`}
      </p>
    </Confirm>
  );
}

/** What gives jobs back how they were; a cancelled job stays cancelled. */
const takenBackBy: Readonly<Partial<Record<BulkAct, (job: Job) => Promise<unknown>>>> = {
  hold: ({ id: job }) => call("releaseJob", { at: { job }, body: {} }),
  release: ({ id: job }) => call("holdJob", { at: { job }, body: {} }),
  priority: ({ id: job, priority }) => call("editJob", { at: { job }, body: { set: { priority } } }),
};

async function undoAll(one: (job: Job) => Promise<unknown>, jobs: readonly Job[]): Promise<string> {
  const refused = await doEach(jobs, one, () => {});
  if (refused[0] !== undefined) throw refused[0].error;
  return `${count(jobs.length, "job")} ${jobs.length === 1 ? "is" : "are"} as before.`;
}
