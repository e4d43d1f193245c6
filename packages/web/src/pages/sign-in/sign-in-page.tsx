import type { SignIn, WhoAmI } from "@tessera/wire";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { signPasskey } from "../../api/passkey.ts";
import { keepProof } from "../../api/proof.ts";
import { useCall } from "../../api/use-call.ts";
import { Button, Field, Notice } from "../../design/parts.tsx";
import { ProviderButtons, takeAnswer } from "./provider-buttons.tsx";

/** The ticket of a sign-in link; taken out of the address, so that it is not kept in the history of the browser. */
function takeTicket(): string | undefined {
  const [, ticket] = /^#ticket=([\w-]{1,64})$/.exec(location.hash) ?? [];
  if (ticket !== undefined) history.replaceState(null, "", location.pathname);
  return ticket;
}

/** Browsers have none for an address of digits. */
const takesPasskeys = "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(location.hostname);

/** A provider, a passkey, name and password, a token, or a link that `tess open` made. */
export function SignInPage({ ended, onSignedIn }: { ended?: string | undefined; onSignedIn: (me: WhoAmI) => void }) {
  const { data: offered } = useCall("readSession");
  const [asksToken, setAsksToken] = useState(false);
  const passwordsOff = offered?.passwordsOff === true;
  const withToken = asksToken || passwordsOff;
  const [wrong, setWrong] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const enter = useCallback(
    async (body: SignIn) => {
      setBusy(true);
      setWrong(undefined);
      try {
        const { me, proof } = await call("signIn", { body });
        keepProof(proof);
        onSignedIn(me);
      } catch (error) {
        setWrong(wordsOf(error));
        setBusy(false);
      }
    },
    [onSignedIn],
  );
  useEffect(() => {
    const ticket = takeTicket();
    const answer = takeAnswer();
    if (ticket !== undefined) void enter({ ticket });
    else if (answer !== undefined) void enter(answer);
  }, [enter]);
  const withPasskey = async () => {
    try {
      const { options } = await call("challengeSignIn");
      await enter({ passkey: await signPasskey(options) });
    } catch (error) {
      setWrong(wordsOf(error));
    }
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    const body: SignIn = withToken
      ? { token: text("token").trim() }
      : { name: text("name").trim(), password: text("password") };
    await enter(body);
  };
  return (
    <main className="sign-in">
      <form className="card" onSubmit={(event) => void submit(event)}>
        <div className="body stack">
          <div className="row">
            <img src="/favicon.svg" width="28" height="28" alt="" />
            <h1>Tessera</h1>
          </div>
          {ended !== undefined && (
            <Notice kind="warn">
              You were signed out: {ended} Sign in to go on where you were; what you wrote is kept.
            </Notice>
          )}
          {wrong !== undefined && <Notice kind="bad">{wrong}</Notice>}
          <ProviderButtons onFailed={setWrong} />
          {takesPasskeys && (
            <Button disabled={busy} onClick={() => void withPasskey()}>
              Sign in with a passkey
            </Button>
          )}
          {withToken ? (
            <Field label="Token" hint="It begins with tess_. With tess at hand, tess open needs none.">
              {(props) => (
                <input
                  {...props}
                  key="token"
                  name="token"
                  type="password"
                  className="input mono"
                  autoComplete="off"
                  required
                />
              )}
            </Field>
          ) : (
            <>
              <Field label="Name">
                {(props) => (
                  <input
                    {...props}
                    key="name"
                    name="name"
                    className="input"
                    autoComplete="username"
                    autoCapitalize="none"
                    required
                  />
                )}
              </Field>
              <Field label="Password">
                {(props) => (
                  <input
                    {...props}
                    key="password"
                    name="password"
                    type="password"
                    className="input"
                    autoComplete="current-password"
                    required
                  />
                )}
              </Field>
            </>
          )}
          <Button kind="primary" type="submit" disabled={busy}>
            {busy ? "Signing in…" : "Sign in"}
          </Button>
          {!passwordsOff && (
            <Button
              kind="plain"
              onClick={() => {
                setAsksToken(!asksToken);
                setWrong(undefined);
              }}
            >
              {withToken ? "Use name and password" : "Use a token"}
            </Button>
          )}
        </div>
      </form>
    </main>
  );
}
