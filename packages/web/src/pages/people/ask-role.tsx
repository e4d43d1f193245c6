import type { Role } from "@tessera/wire/roles";
import { Confirm } from "../../design/confirm.tsx";
import { placeWord } from "./place-word.ts";
import { roleEffect } from "./role-effect.ts";

interface AskRoleProps {
  readonly name: string;
  readonly role: Role;
  readonly at: string;
  /** The word on the button that does it. */
  readonly act: string;
  readonly busy: boolean;
  readonly onAct: () => void;
  readonly onClose: () => void;
}

/** Asks before a person gets a role that reaches the work or the money of others. */
export function AskRole({ name, role, at, act, busy, onAct, onClose }: AskRoleProps) {
  return (
    <Confirm title={`Make ${name} ${role} of ${placeWord(at)}?`} act={act} busy={busy} onAct={onAct} onClose={onClose}>
      <p>
        {name} may then {roleEffect(role, at)}. It holds until the role is taken.
      </p>
    </Confirm>
  );
}
