import type { Job } from "@tessera/wire";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { ChangedMeanwhile } from "../../design/changed-meanwhile.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { CommandLine, TextField, TimeField } from "../../design/inputs.tsx";
import { readMoney } from "../../format/money.ts";
import { spellClock } from "../../format/times.ts";
import { AmountField } from "../cost/amount-field.tsx";
import { changedBetween, commandOf, editBetween, fieldsOf, type JobFields } from "./job-edit.ts";

interface EditDraft {
  /** The fields that were typed; the others are those of the job, also when somebody else changes them. */
  readonly typed: Partial<JobFields>;
  /** The fields of the job when the typing began. */
  readonly seen: JobFields;
}

/** Changes what a waiting job asks for; what it runs is part of its record. */
export function EditJob({ job, onClose }: { job: Job; onClose: () => void }) {
  const now = fieldsOf(job);
  const [{ typed, seen }, keep, drop] = useDraft<EditDraft>(`edit of ${job.id}`, { typed: {}, seen: now });
  const edit = useAct("editJob", ({ name }) => `${name} was changed.`);
  const currency = useCall("readPrices", {}, { mayFail: true }).data?.versions.at(-1)?.currency;
  const fields = { ...now, ...typed };
  const body = editBetween(now, fields);
  const others = Object.keys(typed).length === 0 ? [] : changedBetween(seen, now);
  const close = () => {
    drop();
    onClose();
  };
  const set = (part: Partial<JobFields>) => {
    const isFirst = Object.keys(typed).length === 0;
    keep({ typed: { ...typed, ...part }, seen: isFirst ? now : seen });
  };
  const wrong = (name: keyof JobFields) => refusedAt(edit.error, name, `set.${name}`);
  const text = (name: "gpus" | "nodes" | "priority" | "max_time", hint: string) => (
    <TextField
      label={labels[name]}
      hint={hint}
      maxLength={200}
      wrong={wrong(name)}
      value={fields[name]}
      onChange={(value) => set({ [name]: value })}
    />
  );
  const amount = (name: "max_price" | "budget", hint: string, means: string) => (
    <AmountField
      label={labels[name]}
      hint={hint}
      means={means}
      value={fields[name]}
      read={readAmountOf(fields[name], wrong(name))}
      currency={currency}
      onChange={(value) => set({ [name]: value })}
    />
  );
  const time = (name: "not_before" | "deadline", hint: string) => (
    <TimeField
      label={labels[name]}
      hint={hint}
      wrong={wrong(name)}
      value={fields[name]}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <Confirm
      title={`Change ${job.name}`}
      act="Change it"
      harmless
      busy={edit.isPending || body === undefined || others.length > 0}
      onAct={() => body !== undefined && edit.mutate({ at: { job: job.id }, body }, { onSuccess: close })}
      onClose={close}
    >
      <div className="fields">
        {text("gpus", "such as H100:8")}
        {job.spec.nodes !== undefined && text("nodes", "the nodes of a gang")}
        {text("priority", "higher goes first in its account")}
        {text("max_time", "such as 2h; empty: none")}
        {(currency !== undefined || now.max_price !== "") &&
          amount("max_price", "beyond its guarantee; empty: at any price", "for an hour of one GPU")}
        {(currency !== undefined || now.budget !== "") && amount("budget", "empty: no limit of its own", "in all")}
      </div>
      {time("not_before", "empty: as soon as it can")}
      {time("deadline", "empty: none; a job that has not started by then is given up")}
      {others.length > 0 && (
        <ChangedMeanwhile onGoOn={() => keep({ typed, seen: now })}>
          {job.name} was changed by someone else while you typed:{" "}
          {others.map((name) => `${labels[name]} ${spellField(name, now[name])}`).join(", ")} now.
        </ChangedMeanwhile>
      )}
      <p className="quiet small">It keeps its place in the queue unless it asks for more than before.</p>
      {body !== undefined && <CommandLine>{`npx ${commandOf(job.id, body)}`}</CommandLine>}
    </Confirm>
  );
}

const labels: Readonly<Record<keyof JobFields, string>> = {
  gpus: "GPUs of each member",
  nodes: "Members",
  priority: "Priority",
  max_time: "Longest run",
  max_price: "Highest price",
  budget: "Budget",
  not_before: "Not before",
  deadline: "Deadline",
};

function spellField(name: keyof JobFields, value: string): string {
  if (value === "") return "none";
  return name === "not_before" || name === "deadline" ? spellClock(value) : value;
}

/** An amount that was typed, or why the server refused it. */
function readAmountOf(text: string, refused: string | undefined) {
  if (refused !== undefined) return { wrong: refused };
  return text.trim() === "" ? null : readMoney(text);
}
