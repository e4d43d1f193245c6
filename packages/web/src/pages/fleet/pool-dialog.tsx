import { useQuery } from "@tanstack/react-query";
import type { PoolShape } from "@tessera/wire";
import type { FormEvent } from "react";
import { callAll, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, SelectField, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { readPairs, readWords } from "../../format/pairs.ts";
import { modeWords } from "../../format/sharing.ts";
import { createBody, draftOf, editBody, matching, type PoolDraft, wrongIn } from "./pool-form.ts";

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
          <CommandLine>{commandOf(pool, draft)}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}

/** The nodes that have the labels now, and who then uses them. */
function Effect({ draft }: { draft: PoolDraft }) {
  const nodes = useQuery({ queryKey: ["all nodes"], queryFn: ({ signal }) => callAll("listNodes", {}, signal) });
  const read = readPairs(draft.labels);
  if (nodes.data === undefined || "wrong" in read || Object.keys(read.pairs).length === 0) return null;
  const found = matching(nodes.data, read.pairs);
  const gpus = found.reduce((sum, node) => sum + node.gpus, 0);
  const tenants = readWords(draft.tenants);
  return (
    <Notice kind={found.length === 0 ? "warn" : "plain"}>
      {found.length === 0
        ? "No node has these labels now."
        : `${count(found.length, "node")} with ${count(gpus, "GPU")} ${found.length === 1 ? "has" : "have"} these labels. ${
            tenants.length === 0
              ? "All tenants use them."
              : `New jobs of ${tenants.join(", ")} and below use them, no others.`
          } Running jobs go on.`}
    </Notice>
  );
}

function commandOf(pool: PoolShape | undefined, draft: PoolDraft): string {
  const labels = readWords(draft.labels).map((label) => ` --label ${label}`);
  const tenants = readWords(draft.tenants).map((tenant) => ` --tenant ${tenant}`);
  const verb = pool === undefined ? `create ${draft.name || "NAME"}` : `edit ${pool.name}`;
  return `tess pool ${verb}${labels.join("")}${tenants.join("")} --price ${draft.price}`;
}
