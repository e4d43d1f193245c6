import type { EngineShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button, Field, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { createBody, draftOf, type EngineDraft, editBody, engineCommand, wrongIn } from "./engine-form.ts";

/** Adds an engine, or changes one. The server tries a new one first: where that fails, nothing changes. */
export function EngineDialog({ engine, onClose }: { engine?: EngineShape; onClose: () => void }) {
  // What it was when the typing began is kept with what is typed: others may change it meanwhile.
  const first = { before: draftOf(engine), draft: draftOf(engine) };
  const [{ before, draft }, setKept, drop] = useDraft(`engine ${engine?.name ?? ""}`, first);
  // Credentials: in no draft.
  const [kubeconfig, setKubeconfig] = useState("");
  const create = useAct("createEngine", ({ name }) => `${name} was added.`);
  const edit = useAct("editEngine", ({ name }) => `${name} was changed.`);
  const act = engine === undefined ? create : edit;
  const wrong = wrongIn(draft);
  const change = (part: Partial<EngineDraft>) => {
    act.reset();
    setKept({ before, draft: { ...draft, ...part } });
  };
  const close = () => {
    drop();
    onClose();
  };
  const body = engine === undefined ? undefined : editBody(before, draft, kubeconfig);
  const isReady =
    Object.keys(wrong).length === 0 &&
    (engine === undefined
      ? draft.name !== "" && (draft.kind === "simulated" || kubeconfig.trim() !== "")
      : body !== undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (engine === undefined) create.mutate({ body: createBody(draft, kubeconfig) }, { onSuccess: close });
    else if (body !== undefined) edit.mutate({ at: { engine: engine.name }, body }, { onSuccess: close });
  };
  const atField = ["name", "settings", "lostAfter", "kubeconfig"];
  return (
    <Dialog title={engine === undefined ? "Add an engine" : `Change ${engine.name}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        {engine === undefined && (
          <>
            <TextField
              label="Name"
              hint="its nodes are called NAME/node"
              wrong={wrong.name ?? refusedAt(act.error, "name")}
              value={draft.name}
              onChange={(name) => change({ name })}
            />
            <SelectField
              label="Kind"
              value={draft.kind}
              of={{ kubernetes: "a Kubernetes cluster", simulated: "simulated nodes, for trials" }}
              onChange={(kind) => change({ kind })}
            />
          </>
        )}
        {draft.kind === "kubernetes" && (
          <Field
            label={engine === undefined ? "Kubeconfig" : "New kubeconfig"}
            wrong={refusedAt(act.error, "kubeconfig")}
            hint={`${engine === undefined ? "" : "empty: the one that is kept stays. "}Paste what kubectl config view --flatten --minify --raw prints. It is sealed and never shown.`}
          >
            {(props) => (
              <textarea
                {...props}
                className="input secret-text"
                rows={5}
                spellCheck={false}
                autoComplete="off"
                maxLength={262_144}
                value={kubeconfig}
                onChange={(event) => {
                  act.reset();
                  setKubeconfig(event.target.value);
                }}
              />
            )}
          </Field>
        )}
        <TextField
          label="Settings"
          hint="NAME=VALUE with spaces between, such as rackLabel=topology.example.com/rack"
          wrong={wrong.settings ?? refusedAt(act.error, "settings")}
          value={draft.settings}
          onChange={(settings) => change({ settings })}
        />
        <TextField
          label="Lost after"
          hint="its jobs count as lost after so long out of reach, such as 10m; never: they are waited for"
          wrong={wrong.lostAfter ?? refusedAt(act.error, "lostAfter")}
          value={draft.lostAfter}
          onChange={(lostAfter) => change({ lostAfter })}
        />
        {engine !== undefined && <p className="quiet small">Jobs that run there are not touched.</p>}
        {act.error !== null && refusedAt(act.error, ...atField) === undefined && (
          <Notice kind="bad">{wordsOf(act.error)}</Notice>
        )}
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={!isReady || act.isPending || act.isError}>
            {act.isPending ? "Trying it …" : engine === undefined ? "Try it and add it" : "Change it"}
          </Button>
          {engine === undefined ? (
            <CommandLine>{engineCommand(draft.name, draft.kind, createBody(draft, kubeconfig))}</CommandLine>
          ) : (
            body !== undefined && <CommandLine>{engineCommand(engine.name, undefined, body)}</CommandLine>
          )}
        </div>
      </form>
    </Dialog>
  );
}
