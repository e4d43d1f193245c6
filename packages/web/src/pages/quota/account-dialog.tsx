import { type FormEvent, useState } from "react";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Field } from "../../design/parts.tsx";
import { readAmount } from "./edit-panel.tsx";

/** Creates an account below another; an empty `under` creates a tenant. */
export function AccountDialog({
  under,
  onClose,
  onMade,
}: {
  under: string;
  onClose: () => void;
  onMade: (path: string) => void;
}) {
  const [path, setPath] = useState(under === "" ? "" : `${under}/`);
  const [guarantee, setGuarantee] = useState("0");
  const make = useAct("createAccount", ({ path: made }) => `${made} was made.`);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(
      { body: { path, guarantee: readAmount(guarantee) ?? 0 } },
      { onSuccess: (account) => onMade(account.path) },
    );
  };
  return (
    <Dialog title="New account" onClose={onClose}>
      <form className="stack tight" onSubmit={submit}>
        <Field label="Path" hint="research is a tenant, research/nlp a team of it">
          {(props) => (
            <input
              {...props}
              className="input"
              required
              value={path}
              onChange={(event) => setPath(event.target.value)}
            />
          )}
        </Field>
        <Field label="Guarantee (GPUs)" hint="8, or H100=8 A100=4">
          {(props) => (
            <input
              {...props}
              className="input"
              value={guarantee}
              onChange={(event) => setGuarantee(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <Button kind="primary" type="submit" disabled={make.isPending}>
            Create
          </Button>
          <code className="quiet">npx tess account create {path || "NAME"}</code>
        </div>
      </form>
    </Dialog>
  );
}
