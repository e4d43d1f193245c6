import { useState } from "react";
import { useAccounts } from "../../api/use-accounts.ts";
import { TextField } from "../../design/inputs.tsx";
import { Button } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { type ChangeDraft, policyKeys, type QuotaField, quotaFields, textOf } from "./question.ts";

const kinds = { quota: "a quota", policy: "the policy", nodes: "the fleet" } as const;
const plain: Readonly<Record<ChangeDraft["kind"], ChangeDraft>> = {
  quota: { kind: "quota", account: "", field: "guarantee", model: "", amount: "" },
  policy: { kind: "policy", key: "rebalance", value: "off" },
  nodes: { kind: "nodes", sign: "more", nodes: "", gpus: "8", model: "" },
};

/** Types one change of a question. */
export function AddChange({ onAdd }: { onAdd: (kind: ChangeDraft["kind"], text: string) => void }) {
  const [draft, setDraft] = useState<ChangeDraft>(plain.quota);
  const paths = useAccounts().map(({ path }) => path);
  const asked = draft.kind === "quota" && draft.account === "" ? { ...draft, account: paths[0] ?? "" } : draft;
  const read = textOf(asked);
  const add = () => {
    if (!("text" in read)) return;
    onAdd(draft.kind, read.text);
    setDraft(plain[draft.kind]);
  };
  return (
    <div className="stack tight">
      <div className="fields">
        <SelectField label="Change" value={draft.kind} of={kinds} onChange={(kind) => setDraft(plain[kind])} />
        {asked.kind === "quota" && (
          <>
            <SelectField
              label="Account"
              value={asked.account}
              of={Object.fromEntries(paths.map((path) => [path, path]))}
              onChange={(account) => setDraft({ ...asked, account })}
            />
            <SelectField<QuotaField>
              label="What"
              value={asked.field}
              of={quotaFields}
              onChange={(field) => setDraft({ ...asked, field })}
            />
            {asked.field !== "weight" && (
              <TextField
                label="Model"
                hint="empty: any"
                value={asked.model}
                onChange={(model) => setDraft({ ...asked, model })}
              />
            )}
            <TextField
              label={asked.field === "weight" ? "Weight" : "GPUs"}
              inputMode="decimal"
              value={asked.amount}
              onChange={(amount) => setDraft({ ...asked, amount })}
            />
          </>
        )}
        {asked.kind === "policy" && (
          <>
            <SelectField
              label="What"
              value={asked.key}
              of={policyKeys}
              onChange={(key) => setDraft({ ...asked, key })}
            />
            <TextField label="Value" value={asked.value} onChange={(value) => setDraft({ ...asked, value })} />
          </>
        )}
        {asked.kind === "nodes" && (
          <>
            <SelectField
              label="Nodes that are"
              value={asked.sign}
              of={{ more: "added", fewer: "left out" }}
              onChange={(sign) => setDraft({ ...asked, sign })}
            />
            <TextField
              label="Nodes"
              inputMode="numeric"
              value={asked.nodes}
              onChange={(nodes) => setDraft({ ...asked, nodes })}
            />
            <TextField
              label="GPUs each"
              inputMode="numeric"
              value={asked.gpus}
              onChange={(gpus) => setDraft({ ...asked, gpus })}
            />
            <TextField
              label="Model"
              hint="as nodes of the fleet have it; empty: any"
              value={asked.model}
              onChange={(model) => setDraft({ ...asked, model })}
            />
          </>
        )}
      </div>
      <div className="row wrap">
        <Button disabled={!("text" in read)} onClick={add}>
          Add this change
        </Button>
        {"wrong" in read && <span className="quiet small">{read.wrong}</span>}
      </div>
    </div>
  );
}
