import type { Alternative, Displacement, Job, Start } from "@tessera/wire";
import { useState } from "react";
import { useLocation } from "wouter";
import { useAct } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Button } from "../../design/parts.tsx";
import { count, spellGpus } from "../../format/numbers.ts";
import { editOf, spellChange, spellEffect, victimsText } from "./why.ts";

interface AlternativesProps {
  readonly job: Job;
  readonly alternatives: readonly Alternative[];
  /** When it starts as it is. */
  readonly start: Start | undefined;
}

/** Changes of the job that would start it sooner, the least harmful first. */
export function Alternatives({ job, alternatives, start }: AlternativesProps) {
  const [chosen, setChosen] = useState<Alternative | undefined>();
  if (alternatives.length === 0) return null;
  return (
    <ol className="stack tight">
      {alternatives.map((each, i) => (
        <li key={spellChange(each.change)} className={`alternative ${i === 0 ? "first" : ""}`}>
          <div>
            <strong>{spellChange(each.change)}</strong>
            <div className="row wrap small">
              <Effect alternative={each} start={start} />
            </div>
            {each.displaces !== undefined && <Displaced displaces={each.displaces} />}
          </div>
          <Act
            act="editJob"
            of={job}
            at={job.project}
            kind={i === 0 ? "primary" : "usual"}
            small
            onClick={() => setChosen(each)}
          >
            Apply
          </Act>
        </li>
      ))}
      {chosen !== undefined && (
        <Apply job={job} alternative={chosen} start={start} onClose={() => setChosen(undefined)} />
      )}
    </ol>
  );
}

function Effect({ alternative, start }: { alternative: Alternative; start: Start | undefined }) {
  return (
    <>
      <span className={alternative.effect === "starts now" ? "good-text" : ""}>{spellEffect(alternative, start)}</span>
      {alternative.class !== undefined && <Chip tone={alternative.class}>{alternative.class}</Chip>}
    </>
  );
}

function Displaced({ displaces }: { displaces: Displacement }) {
  if (displaces.jobs + displaces.members === 0) return null;
  return (
    <p className="quiet small">
      {count(displaces.jobs, "job")} on {spellGpus(displaces.gpus)} would be evicted within {displaces.within}:{" "}
      {victimsText(displaces)}.
    </p>
  );
}

interface ApplyProps {
  readonly job: Job;
  readonly alternative: Alternative;
  readonly start: Start | undefined;
  readonly onClose: () => void;
}

/** Asks first, then edits the waiting job. */
function Apply({ job, alternative, start, onClose }: ApplyProps) {
  const [, go] = useLocation();
  const edit = useAct("editJob", ({ name }) => `${name} was changed.`);
  const act = () =>
    edit.mutate(
      { at: { job: job.id }, body: editOf(job, alternative.change) },
      {
        onSuccess: () => alternative.effect === "starts now" && go(`/jobs/${job.id}/logs`),
        onSettled: onClose,
      },
    );
  return (
    <Dialog
      title="Apply this change?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" disabled={edit.isPending} onClick={act}>
            Apply the change
          </Button>
        </>
      }
    >
      <div className="stack tight">
        <p>
          <strong>{spellChange(alternative.change)}</strong>
        </p>
        <p>
          The job <Effect alternative={alternative} start={start} />. It keeps its place in the queue unless it asks for
          more than before.
        </p>
        {alternative.displaces !== undefined && <Displaced displaces={alternative.displaces} />}
      </div>
    </Dialog>
  );
}
