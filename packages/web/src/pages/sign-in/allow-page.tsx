import { type FormEvent, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Button, ButtonLink, Card, Field, Notice, Skeleton, Time } from "../../design/parts.tsx";

/** A program asks to be let in: `tess login`. The person compares the code and allows it. */
export default function AllowPage() {
  const login = new URLSearchParams(location.search).get("login") ?? "";
  const me = useMe();
  const { data, error } = useCall("readLogin", { at: { login } });
  const [wrong, setWrong] = useState<string>();
  const [done, setDone] = useState(false);
  const allow = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get("password") ?? "");
    try {
      const body = password === "" ? {} : { currentPassword: password };
      const { back } = await call("allowLogin", { at: { login }, body });
      if (back === undefined) setDone(true);
      else location.assign(back);
    } catch (failure) {
      setWrong(wordsOf(failure));
    }
  };
  if (error !== null) return <Shell>{<Notice kind="bad">{wordsOf(error)}</Notice>}</Shell>;
  if (data === undefined) return <Shell>{<Skeleton />}</Shell>;
  if (done) return <Shell>{<Notice kind="good">It is let in. Go back to the terminal.</Notice>}</Shell>;
  return (
    <Shell>
      <form className="stack" onSubmit={(event) => void allow(event)}>
        {wrong !== undefined && <Notice kind="bad">{wrong}</Notice>}
        <p>
          <code>tess</code> on <strong>{data.label}</strong> ({data.address}) asks to work as <strong>{me.name}</strong>{" "}
          for a week.
        </p>
        <p className="mono sign-in-code">{data.login}</p>
        <p className="quiet small">
          Allow it only if you typed <code>tess login</code> yourself and the terminal shows this code. It expires{" "}
          <Time at={data.expiresAt} />.
        </p>
        {me.hasPassword === true && (
          <Field label="Your password">
            {(props) => (
              <input {...props} name="password" type="password" className="input" autoComplete="current-password" />
            )}
          </Field>
        )}
        <Button kind="primary" type="submit">
          Allow
        </Button>
        <ButtonLink kind="plain" href="/">
          It was not me
        </ButtonLink>
      </form>
    </Shell>
  );
}

function Shell({ children }: { children: React.ReactNode }) {
  return (
    <div className="page allow">
      <div className="head">
        <h1>Let a program in</h1>
      </div>
      <Card>{children}</Card>
    </div>
  );
}
