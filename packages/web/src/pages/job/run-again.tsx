import type { Job } from "@tessera/wire";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { mayDo } from "../../design/may-do.ts";
import { ButtonLink } from "../../design/parts.tsx";

/** Starts a new job from this one, in the account of this one if the reader may submit there. */
export function RunAgain({ job: { id, project } }: { job: Job }) {
  const may = useMay();
  const mayAnywhere = may("job.submit");
  const { data: account } = useCall("getAccount", { at: { account: project } }, { on: mayAnywhere, mayFail: true });
  // Until the account is known; one that is gone is said to be so by the new job.
  const allowed = account === undefined ? mayAnywhere : mayDo("submitJob", account);
  if (allowed) return <ButtonLink href={`/new?from=${id}`}>Run again</ButtonLink>;
  return (
    <Act act="submitJob" of={account ?? {}} at={project}>
      Run again
    </Act>
  );
}
