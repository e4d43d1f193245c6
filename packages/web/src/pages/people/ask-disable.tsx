import type { UserShape } from "@tessera/wire";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { count, spellGpus } from "../../format/numbers.ts";

/** Lets a disabled user in again; says so. */
export function useEnableUser(name: string) {
  return useAct("enableUser", () => `${name} is accepted again.`);
}

/** Asks before a user is disabled, with what goes on running; wherever it is asked from. */
export function AskDisable({ user, onClose }: { user: Pick<UserShape, "id" | "name">; onClose: () => void }) {
  const may = useMay();
  const disable = useAct("disableUser", () => `${user.name} is refused from now on.`);
  const running = useCall("readSummary", { query: { user: user.id } }, { on: may("job.read") }).data?.running;
  return (
    <Confirm
      title={`Disable ${user.name}?`}
      act={`Disable ${user.name}`}
      busy={disable.isPending}
      onAct={() => disable.mutate({ at: { user: user.id }, body: {} }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        {user.name} is signed out everywhere now, and every token of {user.name} is refused. Jobs that run go on
        {running !== undefined && running.jobs > 0
          ? `: ${count(running.jobs, "job")} on ${spellGpus(running.gpus)}`
          : ""}
        . You can enable the user again.
      </p>
    </Confirm>
  );
}
