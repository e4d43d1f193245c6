import type { ProviderShape } from "@tessera/wire";
import { type Role, roles } from "@tessera/wire/roles";
import { type FormEvent, useId, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { triedWords } from "../../api/tried-words.ts";
import { useAccounts } from "../../api/use-accounts.ts";
import { useAct } from "../../api/use-call.ts";
import { useTried } from "../../api/use-tried.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Effects } from "../../design/effects.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import {
  type ProviderDraft,
  providerBody,
  providerCommand,
  providerDraftOf,
  ruleEffects,
  wrongInProvider,
} from "./provider-form.ts";

/** Adds a provider or changes one: the server asks it first, and where that fails nothing changes. */
export function ProviderDialog({ provider, onClose }: { provider?: ProviderShape; onClose: () => void }) {
  // What it was when the typing began is kept with what is typed: others may change it meanwhile.
  const first = { before: providerDraftOf(provider), draft: providerDraftOf(provider) };
  const [{ before, draft }, keep, drop] = useDraft(`provider ${provider?.name ?? ""}`, first);
  // A secret: in no draft.
  const [secret, setSecret] = useState("");
  const put = useAct("putProvider", ({ label }) => `People can sign in with ${label}.`);
  const wrong = wrongInProvider(draft);
  const body = providerBody(draft, provider === undefined ? undefined : before, secret);
  const isSound = Object.keys(wrong).length === 0;
  const effects = useId();
  const tried = useTried(
    "previewProvider",
    { provider: draft.name },
    provider !== undefined && isSound && body.rules !== undefined ? { rules: body.rules } : undefined,
  );
  const change = (part: Partial<ProviderDraft>) => {
    put.reset();
    keep({ before, draft: { ...draft, ...part } });
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    put.mutate({ at: { provider: draft.name }, body }, { onSuccess: close });
  };
  const isReady = isSound && draft.name !== "" && draft.issuer !== "" && draft.clientId !== "";
  const text = (field: Exclude<keyof ProviderDraft, "rules">, label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      wrong={
        (field === "name" || field === "issuer" || field === "clientId" ? wrong[field] : undefined) ??
        refusedAt(put.error, field)
      }
      value={draft[field]}
      onChange={(value) => change({ [field]: value })}
    />
  );
  const shown = [
    "name",
    "issuer",
    "clientId",
    "clientSecret",
    "label",
    "scopes",
    "groupsClaim",
    "acr",
    "scimClaim",
    "rules",
  ];
  return (
    <Dialog title={provider === undefined ? "Add a provider" : `Change ${provider.label}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        {provider === undefined && text("name", "Name", "in its addresses, such as corp")}
        {text("issuer", "Issuer", "as the provider names itself, such as https://id.example.org")}
        {text("clientId", "Client", "the client that is registered there for this server")}
        <TextField
          label={provider?.hasSecret ? "New secret of the client" : "Secret of the client"}
          type="password"
          autoComplete="new-password"
          hint={`sealed, and never shown; ${provider?.hasSecret ? "empty: the one that is kept stays" : "empty for a public client"}`}
          wrong={refusedAt(put.error, "clientSecret")}
          value={secret}
          onChange={(value) => {
            put.reset();
            setSecret(value);
          }}
        />
        {text("label", "Label", "on the button of the sign-in page; empty: the name")}
        <div className="fields">
          {text("scopes", "Scopes", "asked for beside openid")}
          {text("groupsClaim", "Claim of groups", "that lists a person's groups")}
        </div>
        <div className="fields">
          {text("acr", "Second factor", "values of acr or amr that count as one")}
          {text("scimClaim", "Claim for SCIM", "what SCIM calls externalId; with Entra ID oid")}
        </div>
        <Rules
          rules={draft.rules}
          wrong={wrong.rules ?? refusedAt(put.error, "rules")}
          onRules={(rules) => change({ rules })}
        />
        {tried.error !== null && <Notice kind="bad">{triedWords(tried.error)}</Notice>}
        <Effects id={effects} of={tried.data === undefined ? [] : ruleEffects(tried.data)} />
        {put.error !== null && refusedAt(put.error, ...shown) === undefined && (
          <Notice kind="bad">{wordsOf(put.error)}</Notice>
        )}
        <div className="row wrap">
          <Button
            kind="primary"
            type="submit"
            aria-describedby={effects}
            disabled={!isReady || Object.keys(body).length === 0 || put.isPending || put.isError}
          >
            {put.isPending ? "Asking it …" : provider === undefined ? "Ask it and add it" : "Ask it and change it"}
          </Button>
          {isReady && Object.keys(body).length > 0 && <CommandLine>{providerCommand(draft.name, body)}</CommandLine>}
        </div>
      </form>
    </Dialog>
  );
}

interface RulesProps {
  readonly rules: ProviderDraft["rules"];
  readonly wrong: string | undefined;
  readonly onRules: (rules: ProviderDraft["rules"]) => void;
}

/** Which groups of the provider have which roles here. */
function Rules({ rules, wrong, onRules }: RulesProps) {
  const accounts = useAccounts();
  const places = Object.fromEntries([["", "the platform"], ...accounts.map(({ path }) => [path, path] as const)]);
  const change = (no: number, part: Partial<ProviderDraft["rules"][number]>) =>
    onRules(rules.map((each, i) => (i === no ? { ...each, ...part } : each)));
  return (
    <>
      {rules.map((rule, no) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name but its place
        <div key={no} className="fields">
          <TextField
            label={`Group ${no + 1}`}
            maxLength={200}
            value={rule.group}
            onChange={(group) => change(no, { group })}
          />
          <SelectField<Role>
            label="has the role"
            value={rule.role}
            of={Object.fromEntries(roles.map((role) => [role, role])) as Record<Role, string>}
            onChange={(role) => change(no, { role })}
          />
          <SelectField label="at" value={rule.account} of={places} onChange={(account) => change(no, { account })} />
          <Button
            small
            style={{ alignSelf: "end" }}
            aria-label={`Remove rule ${no + 1}`}
            onClick={() => onRules(rules.filter((_, i) => i !== no))}
          >
            Remove
          </Button>
        </div>
      ))}
      {wrong !== undefined && <p className="wrong-text small">{wrong}</p>}
      <div className="row">
        <Button
          small
          onClick={() => onRules([...rules, { group: "", role: "member", account: accounts[0]?.path ?? "" }])}
        >
          Add a rule
        </Button>
      </div>
    </>
  );
}
