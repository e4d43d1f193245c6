import type { TokenShape } from "@tessera/wire";
import { useMemo, useState } from "react";
import { useLive } from "../../api/live.ts";
import { useAct } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Time } from "../../design/parts.tsx";
import { copyText } from "../../frame/copy.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { NewToken } from "./new-token.tsx";

/** What a token is limited to. */
function limitWords({ account, networks, scopes }: Pick<TokenShape, "account" | "networks" | "scopes">): string {
  const words = [
    ...(account === undefined ? [] : [`only ${account}`]),
    ...(networks === undefined ? [] : [`from ${networks.join(", ")}`]),
    ...(scopes.length === 0 ? [] : [`for ${scopes.join(", ")}`]),
  ];
  return words.join("; ");
}

function isSession({ prefix }: TokenShape): boolean {
  return prefix.startsWith("sess_");
}

function columnsOf(onRevoke: (token: TokenShape) => void): readonly Column<TokenShape>[] {
  return [
    {
      label: "For",
      show: (token) => (
        <>
          {token.label || "no label"} <code className="quiet">{token.prefix}…</code>{" "}
          {token.here && <Chip tone="healthy">this one</Chip>}
          <div className="quiet small">{limitWords(token)}</div>
        </>
      ),
      by: ({ label }) => label,
    },
    {
      label: "Last used",
      below: true,
      show: ({ lastUsedAt }) => (lastUsedAt === undefined ? "never" : <Time at={lastUsedAt} />),
      by: ({ lastUsedAt = "" }) => lastUsedAt,
    },
    {
      label: "Ends",
      below: true,
      show: ({ expiresAt, expiring }) => (
        <>
          {expiresAt === undefined ? <span className="quiet">never</span> : <Time at={expiresAt} />}{" "}
          {expiring && <span className="chip">soon</span>}
        </>
      ),
      by: ({ expiresAt = "~" }) => expiresAt,
    },
    {
      label: "Acts",
      hasNoHead: true,
      number: true,
      show: (token) =>
        mayDo("revokeToken", token) && (
          <Button small data-act="revokeToken" onClick={() => onRevoke(token)}>
            {isSession(token) ? "Sign out" : "Revoke"}
          </Button>
        ),
    },
  ];
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
  const columns = useMemo(() => columnsOf(setRevoking), []);
  const { look } = useLook(columns, { name: "tokens" });
  const [making, open] = useOpen(`token of ${user.id}`);
  const [made, setMade] = useState<string | undefined>();
  return (
    <div className="stack tight">
      <h3>Tokens and sessions</h3>
      <Table label="Tokens and sessions" items={tokens} columns={columns} look={look} keyOf={({ id }) => id} />
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
              ? revoking.here
                ? "You are signed out here, and have to sign in again."
                : "The browser that uses this session has to sign in again."
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
