import type { Role } from "@tessera/wire/roles";
import { type FormEvent, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Field } from "../../design/parts.tsx";
import { toast } from "../../frame/toasts.tsx";
import { RolePick } from "./roles.tsx";

/** Creates a user with a first role and, if one is given, a first password. */
export function NewUser({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }) {
  const accounts = useCall("listAccounts", { query: { limit: 1000 } });
  const paths = (accounts.data?.items ?? []).filter(({ path }) => path !== "");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [account, setAccount] = useState<string | undefined>();
  const [wrong, setWrong] = useState<string | undefined>();
  const at = account ?? paths[0]?.path ?? "";
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const where = role === "platform-owner" ? {} : { account: at };
      const user = await call("createUser", { body: { name, role, ...where } });
      if (password !== "") await call("setPassword", { at: { user: user.id }, body: { password } });
      toast("good", `User ${name} was created.`);
      onMade(user.id);
    } catch (error) {
      setWrong(wordsOf(error));
    }
  };
  return (
    <Dialog title="New user" onClose={onClose}>
      <form className="stack tight" onSubmit={(event) => void submit(event)}>
        <Field label="Login name" wrong={wrong}>
          {(props) => (
            <input
              {...props}
              className="input"
              required
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <RolePick role={role} account={at} accounts={paths} onRole={setRole} onAccount={setAccount} />
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
          <Button kind="primary" type="submit">
            Create the user
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
