import { type FormEvent, useState } from "react";
import { useAct } from "../../api/use-call.ts";
import { Button, Field } from "../../design/parts.tsx";

/** Sets a password; other sessions of the user are signed out. `asks` for the one that is to be replaced. */
export function PasswordForm({ user, asks }: { user: string; asks: boolean }) {
  const [password, setPassword] = useState("");
  const [current, setCurrent] = useState("");
  const set = useAct("setPassword", () => "The password was set; other sessions were signed out.");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { password, ...(current !== "" && { currentPassword: current }) };
    const clear = () => {
      setPassword("");
      setCurrent("");
    };
    set.mutate({ at: { user }, body }, { onSuccess: clear });
  };
  return (
    <form className="row" style={{ alignItems: "flex-end" }} onSubmit={submit}>
      {asks && <CurrentPassword value={current} onChange={setCurrent} />}
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
      <Button data-act="setPassword" type="submit" disabled={set.isPending}>
        Set
      </Button>
    </form>
  );
}

/** Asked before a credential of one's own is changed: the browser may have been left open. */
export function CurrentPassword({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field label="Your password">
      {(props) => (
        <input
          {...props}
          type="password"
          className="input"
          autoComplete="current-password"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
