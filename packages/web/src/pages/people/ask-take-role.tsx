import type { UserShape } from "@tessera/wire";
import { useMe } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Notice } from "../../design/parts.tsx";
import { placeWord } from "./place-word.ts";
import { nobodyElseWords, ownTakenWords, takenWords } from "./take-role.ts";

interface AskTakeRoleProps {
  readonly user: UserShape;
  readonly taken: UserShape["bindings"][number];
  readonly onClose: () => void;
}

/** Roles at one account come before those below it: those beyond a page are of other accounts. */
const readMax = 1_000;

/** Asks before a role is taken: whose it is, and whether anybody is left who has it. */
export function AskTakeRole({ user, taken, onClose }: AskTakeRoleProps) {
  const me = useMe();
  const { role, account } = taken;
  const unbind = useAct("unbindRole", () => "The role was removed.");
  const query = { limit: readMax, ...(account !== "" && { account }) };
  const all = useCall("listRoles", { query }, { mayFail: true }).data;
  const nobodyElse = all && nobodyElseWords(all.items, user.id, taken);
  const isOwn = user.id === me.user;
  return (
    <Confirm
      title={`Take ${role} of ${placeWord(account)} from ${isOwn ? "yourself" : user.name}?`}
      act="Take the role"
      busy={unbind.isPending}
      onAct={() => unbind.mutate({ at: { binding: `${user.id}:${role}:${account}` } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>{isOwn ? ownTakenWords(me, taken) : takenWords(user, taken)}</p>
      {nobodyElse !== undefined && <Notice kind="warn">{nobodyElse}</Notice>}
    </Confirm>
  );
}
