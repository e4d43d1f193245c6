import type { FactorShow, WhoAmI } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { signPasskey } from "../../api/passkey.ts";
import { keepProof } from "../../api/proof.ts";
import { useCall } from "../../api/use-call.ts";
import { Button, Field, Notice } from "../../design/parts.tsx";

/** Shows a second factor to the session, which may go on as another one. */
export function SessionFactor({ onShown }: { onShown: (me: WhoAmI) => void }) {
  const show = async (body: FactorShow) => {
    const { me, proof } = await call("showFactor", { body });
    keepProof(proof);
    onShown(me);
  };
  return <FactorForm show={show} />;
}

/** A code of an app, a passkey or a recovery code. */
export function FactorForm({ show: send }: { show: (shown: FactorShow) => Promise<void> }) {
  const asked = useCall("challengeFactor");
  const [code, setCode] = useState("");
  const [wrong, setWrong] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const show = async (make: () => Promise<FactorShow>) => {
    setBusy(true);
    setWrong(undefined);
    try {
      await send(await make());
    } catch (error) {
      setWrong(wordsOf(error));
      setCode("");
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void show(async () => ({ code: code.trim() }));
  };
  const withPasskey = () =>
    show(async () => {
      // What a passkey signs is good once, so each try asks for another.
      const { options } = await call("challengeFactor");
      return { passkey: await signPasskey(options ?? {}) };
    });
  const kinds = asked.data?.kinds ?? [];
  return (
    <form className="stack" onSubmit={submit}>
      {wrong !== undefined && <Notice kind="bad">{wrong}</Notice>}
      {asked.data?.options !== undefined && (
        <Button kind="primary" disabled={busy} onClick={() => void withPasskey()}>
          Use a passkey
        </Button>
      )}
      <Field
        label={kinds.includes("totp") ? "Code of your app, or a recovery code" : "Recovery code"}
        hint="Each code is good once."
      >
        {(props) => (
          <input
            {...props}
            className="input mono"
            autoComplete="one-time-code"
            autoCapitalize="none"
            maxLength={30}
            required
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      <Button kind={asked.data?.options === undefined ? "primary" : "usual"} type="submit" disabled={busy}>
        {busy ? "Checking…" : "Go on"}
      </Button>
    </form>
  );
}
