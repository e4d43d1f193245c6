import type { Job } from "@tessera/wire";
import { Link } from "wouter";
import { StateChip } from "../../design/chip.tsx";
import { Time } from "../../design/parts.tsx";
import { Select } from "../../design/select.tsx";
import { spellClock } from "../../format/times.ts";
import { useRunsBefore } from "../job/run-before.ts";

/** One of the two runs, and other runs of its name that can be put in its place. */
export function RunChoice({ name, job, other, onChoose }: RunChoiceProps) {
  // Of the later of the two, all that came before.
  const later = other.submittedAt > job.submittedAt ? other : job;
  const runs = useRunsBefore(later) ?? [];
  const choices = [later, ...runs].filter(({ id }) => id !== other.id);
  return (
    <div className="card">
      <div className="body stack tight">
        <div className="row wrap">
          <strong>{name}</strong>
          <Link href={`/jobs/${job.id}`}>{job.name}</Link>
          <StateChip job={job} />
        </div>
        <p className="quiet small">
          {job.project} · {job.userName ?? job.user} · submitted <Time at={job.submittedAt} />
        </p>
        <Select
          aria-label={`Run ${name}`}
          value={job.id}
          of={choices.map(({ id, submittedAt, outcome, state }) => [
            id,
            `${id} · ${spellClock(submittedAt)} · ${outcome ?? state}`,
          ])}
          onChange={onChoose}
        />
      </div>
    </div>
  );
}

interface RunChoiceProps {
  readonly name: "A" | "B";
  readonly job: Job;
  readonly other: Job;
  readonly onChoose: (id: string) => void;
}
