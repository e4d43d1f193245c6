import type { PoolShape } from "@tessera/wire";
import type { FormEvent } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { useTried } from "../../api/use-tried.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { readPairs, readWords } from "../../format/pairs.ts";
import { modeWords } from "../../format/sharing.ts";
import { createBody, draftOf, editBody, type PoolDraft, poolCommand, poolEffects, wrongIn } from "./pool-form.ts";

const modes = { node: "as each node says", ...modeWords } as const;
const trusts = {
  all: "parts of every tenant",
  confidential: "parts of confidential tenants and better trusted ones",
  untrusted: "parts of untrusted tenants and better trusted ones",
  trusted: "only parts of trusted tenants",
} as const;

/** Makes a pool or changes one; says which nodes it means before. */
export function PoolDialog({ pool, onClose }: { pool?: PoolShape; onClose: () => void }) {
  // What it was when the typing began is kept with what is typed: others may change it meanwhile.
  const [kept, setKept, drop] = useDraft(`pool ${pool?.name ?? ""}`, { before: draftOf(pool), draft: draftOf(pool) });
  const { before, draft } = kept;
  const create = useAct("createPool", ({ name }) => `${name} was made.`);
  const edit = useAct("editPool", ({ name }) => `${name} was changed.`);
  const act = pool === undefined ? create : edit;
  const wrong = wrongIn(draft);
  const change = (part: Partial<PoolDraft>) => {
    act.reset();
    setKept({ before, draft: { ...draft, ...part } });
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (pool === undefined) create.mutate({ body: createBody(draft) }, { onSuccess: close });
    else edit.mutate({ at: { pool: pool.name }, body: editBody(draft, before) }, { onSuccess: close });
  };
  const isChanged = pool === undefined || Object.keys(editBody(draft, before)).length > 0;
  const isReady = isChanged && Object.keys(wrong).length === 0 && draft.name !== "" && draft.labels.trim() !== "";
  return (
    <Dialog title={pool === undefined ? "New pool" : `Change ${pool.name}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        {pool === undefined && (
          <TextField
            label="Name"
            hint="lower-case letters, digits and -"
            wrong={wrong.name ?? refusedAt(act.error, "name")}
            value={draft.name}
            onChange={(name) => change({ name })}
          />
        )}
        <TextField
          label="Labels"
          hint="nodes that have all of these, such as tier=gold; engine and region count as labels"
          wrong={wrong.labels ?? refusedAt(act.error, "labels")}
          value={draft.labels}
          onChange={(labels) => change({ labels })}
        />
        <TextField
          label="Tenants"
          hint="accounts whose jobs may use these nodes, with commas between; empty: all"
          wrong={refusedAt(act.error, "tenants")}
          value={draft.tenants}
          onChange={(tenants) => change({ tenants })}
        />
        <TextField
          label="Price factor"
          inputMode="decimal"
          hint="the list's price of use beyond guarantees is multiplied by this"
          wrong={wrong.price ?? refusedAt(act.error, "price")}
          value={draft.price}
          onChange={(price) => change({ price })}
        />
        <div className="fields">
          <SelectField
            label="GPUs are shared"
            value={draft.mode}
            of={modes}
            wrong={refusedAt(act.error, "mode")}
            onChange={(mode) => change({ mode })}
          />
          {draft.mode === "timeslice" && (
            <SelectField
              label="Compute given out"
              value={draft.ratio}
              of={{ 1: "once", 2: "twice", 3: "three times", 4: "four times" } as Record<string, string>}
              wrong={refusedAt(act.error, "ratio")}
              onChange={(ratio) => change({ ratio })}
            />
          )}
        </div>
        <SelectField
          label="Which parts of GPUs come here"
          value={draft.trust}
          of={trusts}
          wrong={refusedAt(act.error, "trust")}
          onChange={(trust) => change({ trust })}
        />
        <Effect draft={draft} />
        {act.error !== null &&
          refusedAt(act.error, "name", "labels", "tenants", "price", "mode", "ratio", "trust") === undefined && (
            <Notice kind="bad">{wordsOf(act.error)}</Notice>
          )}
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={!isReady || act.isPending || act.isError}>
            {pool === undefined ? "Make it" : "Change it"}
          </Button>
          {isReady && <CommandLine>{poolCommand(draft, pool === undefined ? undefined : before)}</CommandLine>}
        </div>
      </form>
    </Dialog>
  );
}

/** The nodes that belong to it then, as the server counts them, and the jobs that may use them. */
function Effect({ draft }: { draft: PoolDraft }) {
  const read = readPairs(draft.labels);
  const isNamed = "pairs" in read && Object.keys(read.pairs).length > 0 && draft.name !== "";
  const isReady = isNamed && wrongIn(draft).name === undefined;
  const tried = useTried("previewPool", {}, isReady ? { name: draft.name, labels: read.pairs } : undefined);
  if (tried.error !== null) return <Notice kind="bad">{wordsOf(tried.error)}</Notice>;
  if (tried.data === undefined) return null;
  return (
    <Notice kind={tried.data.nodes === 0 ? "warn" : "plain"}>
      {poolEffects(tried.data, readWords(draft.tenants)).map((text) => (
        <p key={text}>{text}</p>
      ))}
    </Notice>
  );
}
