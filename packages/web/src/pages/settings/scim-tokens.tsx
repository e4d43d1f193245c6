import type { ProviderShape } from "@tessera/wire";
import { useState } from "react";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Time } from "../../design/parts.tsx";
import { tess } from "../../format/command.ts";
import { count } from "../../format/numbers.ts";
import { copyText } from "../../frame/copy.ts";

/** One can take the place of the other. */
const tokensMax = 2;

/** Tokens with which the identity system of a provider tells of its people and groups. */
export function ScimTokens({ provider: { name, label, scim } }: { provider: ProviderShape }) {
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string | undefined>();
  const [revoking, setRevoking] = useState<string | undefined>();
  const create = useAct("createScimToken");
  const revoke = useAct("revokeScimToken", () => "The SCIM token was revoked.");
  const make = () =>
    create.mutate(
      { at: { provider: name } },
      { onSuccess: ({ token }) => setMade(token), onSettled: () => setMaking(false) },
    );
  return (
    <div className="stack tight">
      {scim.tokens.length > 0 && (
        <span className="quiet small">
          SCIM <code className="break">{`${location.origin}${scim.path}`}</code> · {scim.activeUsers} active of{" "}
          {count(scim.users, "user")} · {count(scim.groups, "group")}
        </span>
      )}
      {scim.tokens.map(({ id, prefix, lastUsedAt }) => (
        <span key={id} className="row apart wrap small">
          <span>
            SCIM token <code>{prefix}…</code>{" "}
            {lastUsedAt === undefined ? (
              "never used"
            ) : (
              <>
                used <Time at={lastUsedAt} />
              </>
            )}
          </span>
          <Button small kind="plain" aria-label={`Revoke ${prefix}`} onClick={() => setRevoking(id)}>
            Revoke
          </Button>
        </span>
      ))}
      {scim.tokens.length < tokensMax && (
        <div className="row">
          <Button small onClick={() => setMaking(true)}>
            New SCIM token
          </Button>
        </div>
      )}
      {making && (
        <Confirm
          harmless
          title={`Let the identity system of ${label} tell of its people?`}
          act="Make the token"
          busy={create.isPending}
          onAct={make}
          onClose={() => setMaking(false)}
        >
          <p>
            With the token it makes, changes and deactivates users and groups here.
            {scim.tokens.length === 0 &&
              ` From then on only people that it has sent sign in with ${label} for the first time.`}
          </p>
          <CommandLine>{tess(["provider", "scim", name])}</CommandLine>
        </Confirm>
      )}
      {made !== undefined && (
        <Dialog title="The new SCIM token" onClose={() => setMade(undefined)}>
          <div className="stack tight">
            <p>
              It is shown only once: give it to the identity system as its bearer token, with the address{" "}
              <code className="break">{`${location.origin}${scim.path}`}</code>.
            </p>
            <code className="token">{made}</code>
            <Button onClick={() => void copyText(made, "The token is copied.")}>Copy</Button>
          </div>
        </Dialog>
      )}
      {revoking !== undefined && (
        <Confirm
          title="Revoke the SCIM token?"
          act="Revoke it"
          busy={revoke.isPending}
          onAct={() =>
            revoke.mutate({ at: { provider: name, token: revoking } }, { onSuccess: () => setRevoking(undefined) })
          }
          onClose={() => setRevoking(undefined)}
        >
          <p>The identity system of {label} can no longer call with it. Users and groups stay as they are.</p>
          <CommandLine>{tess(["provider", "scim", name, "--revoke", revoking])}</CommandLine>
        </Confirm>
      )}
    </div>
  );
}
