import type { AnswerOf } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { makePasskey } from "../../api/passkey.ts";
import { Button, Field, Notice } from "../../design/parts.tsx";
import { CurrentPassword } from "../people/password-form.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

interface AddFactorProps {
  /** Whether the password is asked for: the browser may have been left open. */
  readonly asks: boolean;
  readonly onAdded: () => void;
}

/** Adds an authenticator app or a passkey; the first one comes with recovery codes, which are shown once. */
export function AddFactor({ asks, onAdded }: AddFactorProps) {
  const [offer, setOffer] = useState<AnswerOf<"offerFactor">>();
  const [label, setLabel] = useState("");
  const [current, setCurrent] = useState("");
  const [codes, setCodes] = useState<readonly string[]>();
  const [wrong, setWrong] = useState<string>();
  const trying = async (act: () => Promise<void>) => {
    setWrong(undefined);
    try {
      await act();
    } catch (error) {
      setWrong(wordsOf(error));
    }
  };
  const add = async (shown: { code: string } | { passkey: Awaited<ReturnType<typeof makePasskey>> }) => {
    const named = { ...(label !== "" && { label }), ...(current !== "" && { currentPassword: current }) };
    const added = await call("addFactor", { body: { ...named, ...shown } });
    if (added.codes === undefined) onAdded();
    else setCodes(added.codes);
  };
  const withPasskey = () =>
    trying(async () => {
      const { options } = await call("offerFactor", { body: { kind: "passkey" } });
      await add({ passkey: await makePasskey(options ?? {}) });
    });
  const withApp = () => trying(async () => setOffer(await call("offerFactor", { body: { kind: "totp" } })));
  if (codes !== undefined) return <RecoveryCodes codes={codes} onKept={onAdded} />;
  return (
    <div className="stack">
      {wrong !== undefined && <Notice kind="bad">{wrong}</Notice>}
      <Field label="Name of the device">
        {(props) => (
          <input
            {...props}
            className="input"
            placeholder="phone, key …"
            maxLength={100}
            value={label}
            onChange={(event) => setLabel(event.target.value)}
          />
        )}
      </Field>
      {asks && <CurrentPassword value={current} onChange={setCurrent} />}
      {offer?.secret === undefined ? (
        <div className="row">
          <Button kind="primary" onClick={() => void withPasskey()}>
            Add a passkey
          </Button>
          <Button onClick={() => void withApp()}>Use an authenticator app</Button>
        </div>
      ) : (
        <AppCode secret={offer.secret} uri={offer.uri ?? ""} onCode={(code) => trying(() => add({ code }))} />
      )}
    </div>
  );
}

function AppCode(props: { secret: string; uri: string; onCode: (code: string) => Promise<void> }) {
  const [code, setCode] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void props.onCode(code.trim());
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p>
        Give your app this secret, or <a href={props.uri}>open it in an app on this device</a>:
      </p>
      <code className="token">{props.secret.replaceAll(/.{4}(?=.)/g, "$& ")}</code>
      <Field label="Code that the app shows">
        {(field) => (
          <input
            {...field}
            className="input mono"
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern="[0-9]{6}"
            title="six digits"
            required
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      <Button kind="primary" type="submit">
        Add the app
      </Button>
    </form>
  );
}
