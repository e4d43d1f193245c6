import type { Job } from "@tessera/wire";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { CommandLine, TextField, TimeField } from "../../design/inputs.tsx";
import { commandOf, editBetween, fieldsOf, type JobFields } from "./job-edit.ts";

/** Changes what a waiting job asks for; what it runs is part of its record. */
export function EditJob({ job, onClose }: { job: Job; onClose: () => void }) {
  const before = fieldsOf(job);
  const [fields, setFields, drop] = useDraft(`edit of ${job.id}`, before);
  const edit = useAct("editJob", ({ name }) => `${name} was changed.`);
  const body = editBetween(before, fields);
  const close = () => {
    drop();
    onClose();
  };
  const set = (part: Partial<JobFields>) => setFields({ ...fields, ...part });
  const wrong = (name: keyof JobFields) => refusedAt(edit.error, name, `set.${name}`);
  const text = (name: "gpus" | "nodes" | "priority" | "max_time", label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      maxLength={200}
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
      busy={edit.isPending || body === undefined}
      onAct={() => body !== undefined && edit.mutate({ at: { job: job.id }, body }, { onSuccess: close })}
      onClose={close}
    >
      <div className="fields">
        {text("gpus", "GPUs of each member", "such as H100:8")}
        {job.spec.nodes !== undefined && text("nodes", "Members", "the nodes of a gang")}
        {text("priority", "Priority", "higher goes first in its account")}
        {text("max_time", "Longest run", "such as 2h; empty: none")}
      </div>
      <TimeField
        label="Not before"
        hint="empty: as soon as it can"
        wrong={wrong("not_before")}
        value={fields.not_before}
        onChange={(not_before) => set({ not_before })}
      />
      <TimeField
        label="Deadline"
        hint="empty: none; a job that has not started by then is given up"
        wrong={wrong("deadline")}
        value={fields.deadline}
        onChange={(deadline) => set({ deadline })}
      />
      <p className="quiet small">It keeps its place in the queue unless it asks for more than before.</p>
      {body !== undefined && <CommandLine>{`npx ${commandOf(job.id, body)}`}</CommandLine>}
    </Confirm>
  );
}
