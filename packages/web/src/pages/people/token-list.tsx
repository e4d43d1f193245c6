import type { TokenShape } from "@tessera/wire";
import { useState } from "react";
import { useLive } from "../../api/live.ts";
import { useAct } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Time } from "../../design/parts.tsx";
import { copyText } from "../../frame/copy.ts";
import { useOpen } from "../../frame/open.ts";
import { NewToken } from "./new-token.tsx";

/** What a token is limited to. */
function limitWords({ account, networks, scopes }: Pick<TokenShape, "account" | "networks" | "scopes">): string {
  const words = [
    ...(account === undefined ? [] : [`only ${account}`]),
    ...(networks === undefined ? [] : [`from ${networks.join(", ")}`]),
    ...(scopes.length === 0 ? [] : [`for ${scopes.join(", ")}`]),
  ];
  return words.length === 0 ? "" : ` ${words.join("; ")}`;
}

function isSession({ prefix }: TokenShape): boolean {
  return prefix.startsWith("sess_");
}

interface TokenListProps {
  readonly user: { readonly id: string; readonly name: string };
  readonly mine: boolean;
  readonly asks: boolean;
  readonly mayMake: boolean;
}

/** Tokens of programs and sessions of browsers, with when they were last used. */
export function TokenList({ user, mine, asks, mayMake }: TokenListProps) {
  const tokens = useLive("listTokens", { user: user.id });
  const revoke = useAct("revokeToken", () => "The token was revoked.");
  const [revoking, setRevoking] = useState<TokenShape | undefined>();
  const [making, open] = useOpen(`token of ${user.id}`);
  const [made, setMade] = useState<string | undefined>();
  return (
    <div className="stack tight">
      <h3>Tokens and sessions</h3>
      <ul className="list">
        {(tokens ?? []).map((token) => {
          const { id, label: name, prefix, lastUsedAt, expiresAt, expiring } = token;
          return (
            <li key={id}>
              <span className="cut" style={{ flex: 1 }}>
                {name || "no label"} <code className="quiet">{prefix}…</code>
                <span className="quiet small">{limitWords(token)}</span>
              </span>
              <span className="quiet small">
                {lastUsedAt === undefined ? (
                  "never used"
                ) : (
                  <>
                    used <Time at={lastUsedAt} />
                  </>
                )}
                {expiresAt !== undefined && (
                  <>
                    , ends <Time at={expiresAt} />
                  </>
                )}
              </span>
              {expiring && <span className="chip">expires soon</span>}
              {mayDo("revokeToken", token) && (
                <Button small data-act="revokeToken" onClick={() => setRevoking(token)}>
                  {isSession(token) ? "Sign out" : "Revoke"}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {mayMake && (
        <div className="row">
          <Button data-act="createToken" onClick={() => open("")}>
            New token
          </Button>
        </div>
      )}
      {making !== undefined && mayMake && (
        <NewToken
          {...(!mine && { user })}
          asks={asks}
          onMade={(token) => {
            open(undefined);
            setMade(token);
          }}
          onClose={() => open(undefined)}
        />
      )}
      {revoking !== undefined && (
        <Confirm
          title={`${isSession(revoking) ? "Sign out" : "Revoke"} ${revoking.label || `${revoking.prefix}…`}?`}
          act={isSession(revoking) ? "Sign it out" : "Revoke the token"}
          busy={revoke.isPending}
          onAct={() => revoke.mutate({ at: { token: revoking.id } }, { onSuccess: () => setRevoking(undefined) })}
          onClose={() => setRevoking(undefined)}
        >
          <p>
            {isSession(revoking)
              ? "The browser that uses this session has to sign in again."
              : "Every program that uses this token is refused from now on."}{" "}
            {revoking.lastUsedAt === undefined ? (
              "It was never used."
            ) : (
              <>
                It was last used <Time at={revoking.lastUsedAt} />.
              </>
            )}{" "}
            This cannot be undone; another one can be made.
          </p>
        </Confirm>
      )}
      {made !== undefined && (
        <Dialog title="Your new token" onClose={() => setMade(undefined)}>
          <div className="stack tight">
            <p>It is shown only once. Keep it like a password.</p>
            <code className="token">{made}</code>
            <Button onClick={() => void copyText(made, "The token is copied.")}>Copy</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
