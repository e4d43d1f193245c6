import type { Alternative, Displacement, Job } from "@tessera/wire";
import { useState } from "react";
import { useLocation } from "wouter";
import { call, wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button } from "../../design/parts.tsx";
import { count, spellGpus } from "../../format/numbers.ts";
import { spellClock } from "../../format/times.ts";
import { toast } from "../../frame/toasts.tsx";
import { changed, spellChange, victimsText } from "./why.ts";

/** Changes of the job that would start it sooner, the least harmful first. */
export function Alternatives({ job, alternatives }: { job: Job; alternatives: readonly Alternative[] }) {
  const may = useMay();
  const [chosen, setChosen] = useState<Alternative | undefined>();
  if (alternatives.length === 0) return null;
  return (
    <ol className="stack tight">
      {alternatives.map((each, i) => (
        <li key={spellChange(each.change)} className={`alternative ${i === 0 ? "first" : ""}`}>
          <div>
            <strong>{spellChange(each.change)}</strong>
            <div className="row wrap small">
              <Effect alternative={each} />
            </div>
            {each.displaces !== undefined && <Displaced displaces={each.displaces} />}
          </div>
          {may("job.submit") && mayDo("cancelJob", job) && (
            <Button kind={i === 0 ? "primary" : "usual"} small onClick={() => setChosen(each)}>
              Apply
            </Button>
          )}
        </li>
      ))}
      {chosen !== undefined && <Apply job={job} alternative={chosen} onClose={() => setChosen(undefined)} />}
    </ol>
  );
}

function Effect({ alternative: { effect, at, class: as } }: { alternative: Alternative }) {
  return (
    <>
      <span className={effect === "starts now" ? "good-text" : ""}>
        {effect}
        {effect !== "starts now" && at !== undefined && `, ${spellClock(at)}`}
      </span>
      {as !== undefined && <Chip tone={as}>{as}</Chip>}
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

/** Asks first, then submits the changed job and cancels the waiting one. */
function Apply({ job, alternative, onClose }: { job: Job; alternative: Alternative; onClose: () => void }) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    try {
      const made = await call("submitJob", { body: changed(job, alternative.change) as never });
      const left = await call("cancelJob", { at: { job: job.id }, body: {} }).then(() => undefined, wordsOf);
      if (left === undefined)
        toast("good", `${made.name} was submitted with the change; the previous job is cancelled.`);
      else toast("bad", `${made.name} was submitted with the change; the previous job is still there: ${left}`);
      go(`/jobs/${made.id}/${alternative.effect === "starts now" ? "logs" : "why"}`);
    } catch (error) {
      toast("bad", wordsOf(error));
      onClose();
    }
  };
  return (
    <Dialog
      title="Apply this change?"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" disabled={busy} onClick={() => void act()}>
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
          The job is submitted again with this change and <Effect alternative={alternative} />. The waiting job is
          cancelled and loses its place.
        </p>
        {alternative.displaces !== undefined && <Displaced displaces={alternative.displaces} />}
      </div>
    </Dialog>
  );
}
