import type { ProviderShape } from "@tessera/wire";
import { useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Confirm } from "../../design/confirm.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Card, Empty, Skeleton } from "../../design/parts.tsx";
import { tess } from "../../format/command.ts";
import { count } from "../../format/numbers.ts";
import { useOpen } from "../../frame/open.ts";
import { LinkIdentity } from "./link-identity.tsx";
import { ProviderDialog } from "./provider-dialog.tsx";
import { ScimTokens } from "./scim-tokens.tsx";

/** Providers with which people sign in, and what their groups may do; for the platform owner. */
export function Providers() {
  const may = useMay();
  if (!may("provider.write")) return null;
  return <SignIn />;
}

function SignIn() {
  const { data } = useCall("listProviders");
  /** The provider that is changed, by name; empty: a new one. */
  const [editing, open] = useOpen("provider");
  const [linking, openLink] = useOpen("link");
  const edited = data?.items.find(({ name }) => name === editing);
  const linked = data?.items.find(({ name }) => name === linking);
  return (
    <Card title="Signing in" beside={<Button onClick={() => open("")}>Add a provider</Button>}>
      {data === undefined ? (
        <Skeleton />
      ) : data.items.length === 0 ? (
        <Empty
          title="People sign in with passwords and tokens"
          command="npx tess provider add corp --issuer https://id.example.org --client-id tessera"
        >
          A provider of OpenID Connect lets them sign in as they do elsewhere in the company.
        </Empty>
      ) : (
        <ul className="list">
          {data.items.map((provider) => (
            <Provider
              key={provider.name}
              provider={provider}
              onEdit={() => open(provider.name)}
              onLink={() => openLink(provider.name)}
            />
          ))}
        </ul>
      )}
      {(edited !== undefined || editing === "") && (
        <ProviderDialog
          key={editing}
          {...(edited !== undefined && { provider: edited })}
          onClose={() => open(undefined)}
        />
      )}
      {linked !== undefined && <LinkIdentity provider={linked} onClose={() => openLink(undefined)} />}
    </Card>
  );
}

interface ProviderProps {
  readonly provider: ProviderShape;
  readonly onEdit: () => void;
  readonly onLink: () => void;
}

function Provider({ provider, onEdit, onLink }: ProviderProps) {
  const { name, label, issuer, users, rules, redirectPath, logoutPath } = provider;
  const [asking, setAsking] = useState(false);
  const remove = useAct("removeProvider", () => "The provider was removed.");
  return (
    <li className="stack">
      <div className="row apart wrap">
        <span>
          <strong>{label}</strong> <span className="quiet small">{count(users, "user")}</span>
        </span>
        <span className="row">
          <Button small aria-label={`Change ${label}`} onClick={onEdit}>
            Change
          </Button>
          <Button small aria-label={`Link a person of ${label}`} onClick={onLink}>
            Link a person
          </Button>
          <Button small kind="plain" aria-label={`Remove ${label}`} onClick={() => setAsking(true)}>
            Remove
          </Button>
        </span>
      </div>
      <dl className="facts">
        <dt>Issuer</dt>
        <dd>
          <code className="break">{issuer}</code>
        </dd>
        <dt>Redirect URI</dt>
        <dd>
          <code className="break">{`${location.origin}${redirectPath}`}</code>
        </dd>
        <dt>Logout URI</dt>
        <dd>
          <code className="break">{`${location.origin}${logoutPath}`}</code>
        </dd>
        <dt>Rules</dt>
        <dd>
          {rules.length === 0
            ? "none: roles are given by hand"
            : rules.map(({ group, role, account }) => (
                <div key={`${group} ${role} ${account}`}>
                  {group} → {role} at {account === "" ? "the whole platform" : account}
                </div>
              ))}
        </dd>
      </dl>
      <ScimTokens provider={provider} />
      {asking && (
        <Confirm
          title={`Remove ${label}?`}
          act="Remove the provider"
          busy={remove.isPending}
          onAct={() => remove.mutate({ at: { provider: name } }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>
            {count(users, "user")} can no longer sign in with it. The roles that its rules gave are taken, and the
            sessions that it opened end now.
          </p>
          <CommandLine>{tess(["provider", "remove", name])}</CommandLine>
        </Confirm>
      )}
    </li>
  );
}
