import { useQueryClient } from "@tanstack/react-query";
import type { Job } from "@tessera/wire";
import { useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { takingBack } from "../../api/use-call.ts";
import { Choice } from "../../design/choice.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Field } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { count } from "../../format/numbers.ts";
import { noteAct } from "../../frame/attention.ts";
import { toast } from "../../frame/toasts.tsx";
import { doEach } from "./bulk.ts";
import { keysOf, type LabelChange, labelBody, labelConcerns, labelEffect, labelsBefore, wrongLabel } from "./labels.ts";

interface LabelProps {
  readonly jobs: readonly Job[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Gives jobs a label or takes one from them, with the effect told first. */
export function LabelDialog({ jobs, onClose, onDone }: LabelProps) {
  const queries = useQueryClient();
  const first: { how: LabelChange["how"]; typed: string } = { how: "add", typed: "" };
  const [draft, keep, drop] = useDraft("label of jobs", first);
  const { how, typed } = draft;
  const setTyped = (text: string) => keep({ ...draft, typed: text });
  const [done, setDone] = useState<number>();
  const keys = keysOf(jobs);
  const text = how === "remove" && !keys.includes(typed) ? (keys[0] ?? "") : typed;
  const change = { how, text };
  const wrong = text === "" ? undefined : wrongLabel(change);
  const changed = text === "" || wrong !== undefined ? [] : jobs.filter((job) => labelConcerns(change, job));
  const takeBack = async () => {
    const restore = (job: Job) => call("editJob", { at: { job: job.id }, body: { labels: labelsBefore(change, job) } });
    const refused = await doEach(changed, restore, () => {});
    if (refused[0] !== undefined) throw refused[0].error;
    return `${count(changed.length, "job")} ${changed.length === 1 ? "has" : "have"} the labels of before.`;
  };
  const doAll = async () => {
    setDone(0);
    const body = { labels: labelBody(change) };
    const refused = await doEach(changed, ({ id: job }) => call("editJob", { at: { job }, body }), setDone);
    noteAct();
    void queries.invalidateQueries();
    const first = refused[0];
    if (first === undefined) toast("good", labelEffect(change, changed), takingBack(queries, takeBack));
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
      title={`Label ${jobs.length === 1 ? jobs[0]!.name : count(jobs.length, "job")}`}
      act={done === undefined ? (how === "add" ? "Add label" : "Remove label") : `${done} of ${changed.length}`}
      busy={done !== undefined || changed.length === 0}
      harmless
      onAct={() => void doAll()}
      onClose={close}
    >
      <Field label={how === "add" ? "Label" : "Label to remove"} wrong={wrong} hint="KEY=VALUE, such as sweep=lr">
        {(props) =>
          how === "add" ? (
            <input
              {...props}
              className="input"
              value={typed}
              maxLength={600}
              onChange={(event) => setTyped(event.target.value)}
            />
          ) : (
            <Select {...props} value={text} of={keys} onChange={setTyped} />
          )
        }
      </Field>
      <div className="row">
        <Choice
          of={keys.length === 0 ? (["add"] as const) : ways}
          chosen={how}
          onChoose={(next) => keep({ ...draft, how: next })}
        />
      </div>
      <p aria-live="polite">
        {text === "" || wrong !== undefined
          ? "Labels change nothing about when a job runs."
          : labelEffect(change, jobs)}
      </p>
    </Confirm>
  );
}

const ways = ["add", "remove"] as const;
