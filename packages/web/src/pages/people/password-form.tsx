import { type FormEvent, useState } from "react";
import { useAct } from "../../api/use-call.ts";
import { Button, Field } from "../../design/parts.tsx";

/** Sets a password; other sessions of the user are signed out. */
export function PasswordForm({ user }: { user: string }) {
  const [password, setPassword] = useState("");
  const set = useAct("setPassword", () => "The password was set; other sessions were signed out.");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate({ at: { user }, body: { password } }, { onSuccess: () => setPassword("") });
  };
  return (
    <form className="row" style={{ alignItems: "flex-end" }} onSubmit={submit}>
      <div style={{ flex: 1 }}>
        <Field label="New password">
          {(props) => (
            <input
              {...props}
              type="password"
              className="input"
              autoComplete="new-password"
              minLength={12}
              placeholder="12 characters or more"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" disabled={set.isPending}>
        Set
      </Button>
    </form>
  );
}
