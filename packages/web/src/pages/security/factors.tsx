import type { FactorShape } from "@tessera/wire";
import { useState } from "react";
import { useAct, useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Notice, Time } from "../../design/parts.tsx";
import { AddFactor } from "./add-factor.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";

const words: Readonly<Record<FactorShape["kind"], string>> = {
  totp: "Authenticator app",
  passkey: "Passkey",
  recovery: "Recovery codes",
};

/** The user's own second factors. */
export function Factors({ asks }: { asks: boolean }) {
  const factors = useCall("listFactors");
  const remove = useAct("removeFactor", () => "The factor was removed.");
  const renew = useAct("renewRecovery");
  const [adding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const { items = [], needed = false } = factors.data ?? {};
  return (
    <div className="stack">
      {items.length === 0 && factors.data !== undefined && (
        <Notice kind={needed ? "bad" : "plain"}>
          A second factor keeps others out who have learnt your password or copied your browser.
        </Notice>
      )}
      <ul className="list">
        {items.map(({ id, kind, label, lastUsedAt, codesLeft }) => (
          <li key={id}>
            <span className="cut" style={{ flex: 1 }}>
              {words[kind]} {label !== "" && <span className="quiet">{label}</span>}
            </span>
            <span className="quiet small">
              {codesLeft !== undefined && `${codesLeft} left`}
              {lastUsedAt !== undefined && (
                <>
                  used <Time at={lastUsedAt} />
                </>
              )}
            </span>
            {kind === "recovery" ? (
              <Button small onClick={() => renew.mutate({}, { onSuccess: (made) => setCodes(made.codes) })}>
                New codes
              </Button>
            ) : (
              <Button small onClick={() => remove.mutate({ at: { factor: id } })}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className="row">
        <Button kind={items.length === 0 ? "primary" : "usual"} onClick={() => setAdding(true)}>
          Add a second factor
        </Button>
      </div>
      {adding && (
        <Dialog title="Add a second factor" onClose={() => setAdding(false)}>
          <AddFactor
            asks={asks}
            onAdded={() => {
              setAdding(false);
              void factors.refetch();
            }}
          />
        </Dialog>
      )}
      {codes !== undefined && (
        <Dialog title="Recovery codes" onClose={() => setCodes(undefined)}>
          <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />
        </Dialog>
      )}
    </div>
  );
}
