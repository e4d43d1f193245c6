import type { Job } from "@tessera/wire";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { spellGpus } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";

/** Asks before a running job gives its GPUs back, with the work that is lost by it. */
export function AskLeave({ job, how, onClose }: { job: Job; how: "suspend" | "requeue"; onClose: () => void }) {
  const suspend = useAct("suspendJob", () => `${job.name} is suspended; Release resumes it.`);
  const requeue = useAct("requeueJob", () => `${job.name} goes back to the queue.`);
  const act = how === "suspend" ? suspend : requeue;
  return (
    <Confirm
      title={`${how === "suspend" ? "Suspend" : "Requeue"} ${job.name}?`}
      act={how === "suspend" ? "Suspend it" : "Requeue it"}
      keep="Keep it running"
      busy={act.isPending}
      onAct={() => act.mutate({ at: { job: job.id }, body: {} }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        It has its grace to save, then releases {spellGpus(job.gpus)}
        {how === "suspend" ? " and is held until it is released." : " and waits again."} {whatIsLost(job)}
      </p>
    </Confirm>
  );
}

function whatIsLost({ spec, startedAt }: Job): string {
  if (spec.checkpoint !== undefined) return "It goes on from its checkpoint.";
  const ran = startedAt === undefined ? "" : ` of the ${spellSpan(Date.now() - Date.parse(startedAt))} that it ran`;
  return `It declares no checkpoint: what is not saved${ran} is lost.`;
}
