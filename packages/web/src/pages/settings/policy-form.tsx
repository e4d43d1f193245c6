import type { PolicyShape } from "@tessera/wire";
import { type Numbers, numberBounds, numberWords } from "@tessera/wire/numbers";
import type { FormEvent } from "react";
import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { refusedAt } from "../../api/refused-at.ts";
import { useTyped } from "../../api/seen-draft.ts";
import { useAct } from "../../api/use-call.ts";
import { ChangedMeanwhile } from "../../design/changed-meanwhile.tsx";
import { TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { spellNumber } from "../../format/numbers.ts";
import { changesOf, type PolicyField, policyGroups, readPolicy, textsOf } from "./policy-fields.ts";

/** Every field of the policy, with what follows from each; what changes is listed before it is saved. */
export function PolicyForm({ policy }: { policy: PolicyShape }) {
  const before = textsOf(policy);
  const { shown: texts, seen, isStale, type, goOn, undo } = useTyped("policy", before, policy.revision);
  const save = useAct("setPolicy", () => "The policy was changed.");
  const read = readPolicy(texts);
  const wrong = "wrong" in read ? read.wrong : {};
  const changes = changesOf(before, texts);
  const locked = !useMay()("policy.write");
  const change = (key: string, value: string) => {
    save.reset();
    type({ [key]: value });
  };
  const onGoOn = () => {
    save.reset();
    goOn();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ("body" in read) save.mutate({ body: read.body, ifMatch: seen }, { onSuccess: undo });
  };
  const about = (key: string) => ({
    ...{ disabled: locked, value: texts[key] ?? "", wrong: wrong[key] ?? refusedAt(save.error, key) },
    onChange: (value: string) => change(key, value),
  });
  return (
    <form className="stack" onSubmit={submit}>
      {policyGroups.map(({ title, fields }) => (
        <fieldset key={title} className="plain-set stack tight">
          <legend>
            <h3>{title}</h3>
          </legend>
          {fields.map((field) => (
            <PolicyInput key={field.key} field={field} {...about(field.key)} />
          ))}
        </fieldset>
      ))}
      <details>
        <summary>Numbers: the most that tenants may have of what they can make large</summary>
        <div className="stack tight">
          {(Object.keys(numberWords) as (keyof Numbers)[]).map((name) => (
            <TextField
              key={name}
              inputMode="numeric"
              label={numberWords[name]}
              hint={`${spellNumber(numberBounds[name].least)} to ${spellNumber(numberBounds[name].most)}; empty: ${spellNumber(numberBounds[name].plain)}`}
              {...about(`max.${name}`)}
            />
          ))}
        </div>
      </details>
      {changes.length > 0 && (
        <Notice>
          This changes for everyone at once:
          <ul className="plain-list">
            {changes.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      )}
      {isStale && (
        <ChangedMeanwhile onGoOn={onGoOn}>
          The policy was changed by someone else while you typed. What you did not type is as it is now.
        </ChangedMeanwhile>
      )}
      {save.error !== null && !isStale && <Notice kind="bad">{wordsOf(save.error)}</Notice>}
      {locked ? (
        <p className="quiet small">Changing it needs the role platform-owner; ask one of the platform's owners.</p>
      ) : (
        <div className="row wrap">
          <Button
            data-act="setPolicy"
            kind="primary"
            type="submit"
            disabled={changes.length === 0 || !("body" in read) || isStale || save.isPending || save.isError}
          >
            Save
          </Button>
          {changes.length > 0 && (
            <Button
              onClick={() => {
                save.reset();
                undo();
              }}
            >
              Throw away
            </Button>
          )}
          <Link href="/fleet/what-if">What would another policy have done?</Link>
        </div>
      )}
    </form>
  );
}

interface PolicyInputProps {
  readonly field: PolicyField;
  readonly value: string;
  readonly wrong: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (value: string) => void;
}

function PolicyInput({ field, ...rest }: PolicyInputProps) {
  const { label, hint } = field;
  if (field.as === "choice") return <SelectField label={label} hint={hint} of={field.of} {...rest} />;
  return (
    <TextField label={label} hint={hint} {...(field.as === "number" && { inputMode: "numeric" as const })} {...rest} />
  );
}
