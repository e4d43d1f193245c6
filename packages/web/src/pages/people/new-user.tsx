import type { Role } from "@tessera/wire/roles";
import { type FormEvent, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { useMe } from "../../api/me.tsx";
import { useAllAccounts } from "../../api/use-accounts.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Field } from "../../design/parts.tsx";
import { toast } from "../../frame/toasts.tsx";
import { AskRole } from "./ask-role.tsx";
import { roleEffect } from "./role-effect.ts";
import { placeOf, RolePick } from "./roles.tsx";

interface Draft {
  readonly name: string;
  readonly role: Role;
  readonly account?: string;
}

/** Creates a user with a first role and, if one is given, a first password. */
export function NewUser({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const me = useMe();
  const accounts = useAllAccounts().data;
  const [draft, setDraft, drop] = useDraft<Draft>("user", { name: "", role: "member" });
  const { name, role, account } = draft;
  const [password, setPassword] = useState("");
  const [wrong, setWrong] = useState<string | undefined>();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const at = accounts && placeOf(me, role, account, accounts);
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (at === undefined) return;
    if (roleEffect(role, at) === undefined) void make(at);
    else setAsking(true);
  };
  const make = async (at: string) => {
    setBusy(true);
    try {
      const where = at === "" ? {} : { account: at };
      const user = await call("createUser", { body: { name, role, ...where } });
      drop();
      const refused =
        password === ""
          ? undefined
          : await call("setPassword", { at: { user: user.id }, body: { password } }).then(() => undefined, wordsOf);
      // The user is there by now: what remains to be done is done on its page.
      if (refused === undefined) toast("good", `User ${name} was created.`);
      else toast("bad", `User ${name} was created, without a password: ${refused}`);
      onMade(user.id);
    } catch (error) {
      setWrong(wordsOf(error));
      setAsking(false);
    }
    setBusy(false);
  };
  return (
    <Dialog title="New user" onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <Field label="Login name" wrong={wrong}>
          {(props) => (
            <input
              {...props}
              className="input"
              required
              autoComplete="off"
              value={name}
              onChange={(event) => setDraft({ ...draft, name: event.target.value })}
            />
          )}
        </Field>
        <RolePick
          role={role}
          account={at ?? account}
          accounts={accounts ?? []}
          onRole={(next) => setDraft({ ...draft, role: next })}
          onAccount={(next) => setDraft({ ...draft, account: next })}
        />
        <Field label="First password" hint="At least 12 characters; empty: tokens only">
          {(props) => (
            <input
              {...props}
              className="input"
              type="password"
              autoComplete="new-password"
              minLength={12}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <Button kind="primary" type="submit" disabled={busy || at === undefined}>
            Create the user
          </Button>
        </div>
      </form>
      {asking && at !== undefined && (
        <AskRole
          {...{ name, role, at, busy }}
          act="Create the user"
          onAct={() => void make(at)}
          onClose={() => setAsking(false)}
        />
      )}
    </Dialog>
  );
}
