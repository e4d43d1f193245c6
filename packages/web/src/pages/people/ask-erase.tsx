import type { UserShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { tess } from "../../format/command.ts";

/** Asks for the name of a user before it is erased: nothing brings it back. */
export function AskErase({ user, onClose }: { user: Pick<UserShape, "id" | "name">; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [, go] = useLocation();
  // It is not there to be shown any more.
  const erase = useAct("eraseUser", () => `${user.name} was erased.`, { leave: () => go("/people") });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === user.name) erase.mutate({ at: { user: user.id } });
  };
  return (
    <Dialog title={`Erase ${user.name}?`} onClose={onClose}>
      <form className="stack tight" onSubmit={submit}>
        <p>
          The name, the addresses and the password are erased for good, here and in the audit, and every token is
          refused. What was done stays in the history under an id alone. Jobs that run go on.
        </p>
        <TextField
          label={`Type ${user.name} to erase it`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={setTyped}
        />
        {erase.error !== null && <Notice kind="bad">{wordsOf(erase.error)}</Notice>}
        <div className="row wrap">
          <Button kind="danger" type="submit" disabled={typed !== user.name || erase.isPending}>
            Erase {user.name}
          </Button>
          <CommandLine>{tess(["user", "erase", user.name])}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}
