import type { FactorShape } from "@tessera/wire";
import { useState } from "react";
import { useAct, useCall } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
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
  const [asking, setAsking] = useState<FactorShape>();
  const [codes, setCodes] = useState<readonly string[]>();
  const { items = [], needed = false } = factors.data ?? {};
  const others = items.filter(({ id, kind }) => id !== asking?.id && kind !== "recovery");
  return (
    <div className="stack">
      {items.length === 0 && factors.data !== undefined && (
        <Notice kind={needed ? "bad" : "plain"}>
          A second factor keeps others out who have learnt your password or copied your browser.
        </Notice>
      )}
      <ul className="list">
        {items.map((factor) => (
          <li key={factor.id}>
            <span className="cut" style={{ flex: 1 }}>
              {words[factor.kind]} {factor.label !== "" && <span className="quiet">{factor.label}</span>}
            </span>
            <span className="quiet small">
              {factor.codesLeft !== undefined && `${factor.codesLeft} left`}
              {factor.lastUsedAt !== undefined && (
                <>
                  used <Time at={factor.lastUsedAt} />
                </>
              )}
            </span>
            <Button small onClick={() => setAsking(factor)}>
              {factor.kind === "recovery" ? "New codes" : "Remove"}
            </Button>
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
      {asking?.kind === "recovery" && (
        <Confirm
          title="Make new recovery codes?"
          act="Make new codes"
          busy={renew.isPending}
          onAct={() =>
            renew.mutate({}, { onSuccess: ({ codes: made }) => setCodes(made), onSettled: () => setAsking(undefined) })
          }
          onClose={() => setAsking(undefined)}
        >
          <p>The {asking.codesLeft ?? 0} codes that are left stop working.</p>
        </Confirm>
      )}
      {asking !== undefined && asking.kind !== "recovery" && (
        <Confirm
          title={`Remove ${words[asking.kind].toLowerCase()} ${asking.label}?`}
          act="Remove it"
          busy={remove.isPending}
          onAct={() => remove.mutate({ at: { factor: asking.id } }, { onSettled: () => setAsking(undefined) })}
          onClose={() => setAsking(undefined)}
        >
          <p>
            It can no longer be used to sign in.
            {others.length === 0 && " It is the last one: your account is then protected by its password alone."}
          </p>
        </Confirm>
      )}
      {codes !== undefined && (
        <Dialog title="Recovery codes" onClose={() => setCodes(undefined)}>
          <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />
        </Dialog>
      )}
    </div>
  );
}
