import { useQueryClient } from "@tanstack/react-query";
import type { Job } from "@tessera/wire";
import { useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { Confirm } from "../../design/confirm.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Field } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { toast } from "../../frame/toasts.tsx";
import { type BulkAct, bulkActs, concerns, doEach, effectOf, routeOf } from "./bulk.ts";
import { LabelDialog } from "./label-dialog.tsx";

const words: Readonly<Record<BulkAct, string>> = {
  cancel: "Cancel",
  hold: "Hold",
  release: "Release",
  priority: "Priority",
};
const priorityMax = 1_000;

/** What can be done with the chosen jobs at once. */
export function BulkBar({ jobs, onDone }: { jobs: readonly Job[]; onDone: () => void }) {
  const [asking, setAsking] = useState<BulkAct>();
  const offered = bulkActs.filter((act) => jobs.some((job) => mayDo(routeOf[act], job)));
  const [labelling, setLabelling] = useState(false);
  const labelled = jobs.filter((job) => mayDo("editJob", job));
  return (
    <section className="bulk-bar row wrap" aria-label="Chosen jobs">
      <strong>{count(jobs.length, "job")} chosen</strong>
      {offered.length === 0 && <span className="quiet">You may change none of them.</span>}
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
      <Button small kind="plain" onClick={onDone}>
        Choose none
      </Button>
      {asking !== undefined && <Ask act={asking} jobs={jobs} onClose={() => setAsking(undefined)} onDone={onDone} />}
      {labelling && <LabelDialog jobs={labelled} onClose={() => setLabelling(false)} onDone={onDone} />}
    </section>
  );
}

interface AskProps {
  readonly act: BulkAct;
  readonly jobs: readonly Job[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Ask({ act, jobs, onClose, onDone }: AskProps) {
  const queries = useQueryClient();
  // Which jobs were chosen is gone after a session that ends; what was typed is there when they are chosen again.
  const [priority, setPriority, drop] = useDraft("priority of jobs", "0");
  const [done, setDone] = useState<number>();
  const changed = jobs.filter((job) => concerns(act, job));
  const wrong = act === "priority" && !isPriority(priority) ? `A whole number up to ${priorityMax}` : undefined;
  const one = ({ id: job }: Job) => {
    if (act === "cancel") return call("cancelJob", { at: { job }, body: {} });
    if (act === "hold") return call("holdJob", { at: { job }, body: {} });
    if (act === "release") return call("releaseJob", { at: { job }, body: {} });
    return call("editJob", { at: { job }, body: { set: { priority: Number(priority) } } as never });
  };
  const doAll = async () => {
    setDone(0);
    const refused = await doEach(changed, one, setDone);
    void queries.invalidateQueries();
    const first = refused[0];
    if (first === undefined) toast("good", `${words[act]}: ${count(changed.length, "job")}.`);
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
      busy={done !== undefined || wrong !== undefined}
      harmless={act !== "cancel"}
      onAct={() => void doAll()}
      onClose={close}
    >
      {act === "priority" && (
        <Field label="Priority" wrong={wrong}>
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
      <p>{effectOf(act, jobs)}</p>
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

function isPriority(text: string): boolean {
  const value = Number(text);
  return text.trim() !== "" && Number.isInteger(value) && Math.abs(value) <= priorityMax;
}
