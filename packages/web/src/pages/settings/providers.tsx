import { useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { spell } from "../../format/times.ts";

/** Providers with which people sign in, and what their groups may do; for the platform owner. */
export function Providers() {
  const may = useMay();
  if (!may("provider.write")) return null;
  return (
    <Card title="Signing in">
      <List />
    </Card>
  );
}

function List() {
  const { data } = useCall("listProviders");
  const remove = useAct("removeProvider", () => "The provider was removed.");
  const [asking, setAsking] = useState("");
  if (data === undefined) return <Skeleton />;
  if (data.items.length === 0)
    return (
      <Empty
        title="People sign in with passwords and tokens"
        command="npx tess provider add corp --issuer https://id.example.org --client-id tessera"
      >
        A provider of OpenID Connect lets them sign in as they do elsewhere in the company.
      </Empty>
    );
  return (
    <ul className="list">
      {data.items.map(({ name, label, issuer, users, rules, redirectPath, scim }) => (
        <li key={name} className="stack">
          <div className="row apart">
            <span>
              <strong>{label}</strong> <span className="quiet small">{count(users, "user")}</span>
            </span>
            <Button small kind="plain" onClick={() => setAsking(name)}>
              Remove
            </Button>
          </div>
          {asking === name && (
            <Confirm
              title={`Remove ${label}?`}
              act="Remove the provider"
              busy={remove.isPending}
              onAct={() => remove.mutate({ at: { provider: name } }, { onSuccess: () => setAsking("") })}
              onClose={() => setAsking("")}
            >
              <p>
                {count(users, "user")} can no longer sign in with it. The roles that its rules gave are taken, and the
                sessions that it opened end now.
              </p>
            </Confirm>
          )}
          <span className="small">
            <code>{issuer}</code>
          </span>
          <span className="quiet small">
            Redirect URI{" "}
            <code>
              {location.origin}
              {redirectPath}
            </code>
          </span>
          {scim.tokens.length > 0 && (
            <span className="quiet small">
              SCIM <code>{`${location.origin}${scim.path}`}</code> · {scim.activeUsers} active of{" "}
              {count(scim.users, "user")} · {count(scim.groups, "group")} · last call {lastCall(scim.tokens)}
            </span>
          )}
          {rules.map(({ group, role, account }) => (
            <span key={`${group} ${role} ${account}`} className="small">
              {group} → {role} at {account === "" ? "the whole platform" : account}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function lastCall(tokens: readonly { readonly lastUsedAt?: string }[]): string {
  const last = tokens
    .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
    .sort()
    .at(-1);
  return last === undefined ? "never" : spell(last);
}
