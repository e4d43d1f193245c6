import type { Job } from "@tessera/wire";
import { useMe } from "../../api/me.tsx";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { spellGpus } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";
import { stopWords, whatStops } from "../jobs/what-stops.ts";

/** Asks before a job is cancelled, with what is lost by it; wherever it is asked from. */
export function AskCancel({ job, onClose }: { job: Job; onClose: () => void }) {
  const me = useMe();
  const cancel = useAct("cancelJob", () => `${job.name} is cancelled.`);
  return (
    <Confirm
      title={`Cancel ${job.name}?`}
      act="Cancel the job"
      keep="Keep it"
      busy={cancel.isPending}
      onAct={() => cancel.mutate({ at: { job: job.id }, body: {} }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        {effectOf(job)} {job.user !== me.user && `It is a job of ${job.userName ?? job.user} in ${job.project}. `}
        This cannot be undone, but the job can be submitted again.
      </p>
    </Confirm>
  );
}

function effectOf(job: Job): string {
  const { state, startedAt, elements } = job;
  if (elements !== undefined) return `${stopWords([job])} The others stay as they ended.`;
  if (state === "waiting") return "The job has not started and will not start.";
  const ran = startedAt === undefined ? "" : `It has run for ${spellSpan(Date.now() - Date.parse(startedAt))}. `;
  return `${ran}Its processes are told to stop and have its grace to save; then it releases ${spellGpus(whatStops([job]).gpus)}.`;
}
