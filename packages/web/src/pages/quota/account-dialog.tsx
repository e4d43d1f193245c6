import { type FormEvent, useState } from "react";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button } from "../../design/parts.tsx";
import { amountHint, readAmount, wrongAmount } from "./amounts.ts";

interface DialogProps {
  readonly under: string;
  readonly onClose: () => void;
  readonly onMade: (path: string) => void;
}

/** Creates an account below another; an empty `under` creates a tenant. */
export function AccountDialog({ under, onClose, onMade }: DialogProps) {
  const [path, setPath] = useState(under === "" ? "" : `${under}/`);
  const [guarantee, setGuarantee] = useState("0");
  const make = useAct("createAccount", ({ path: made }) => `${made} was made.`);
  const amount = readAmount(guarantee);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (amount === undefined) return;
    make.mutate({ body: { path, guarantee: amount } }, { onSuccess: (account) => onMade(account.path) });
  };
  return (
    <Dialog title="New account" onClose={onClose}>
      <form className="stack tight" onSubmit={submit}>
        <TextField
          label="Path"
          hint="research is a tenant, research/nlp a team of it"
          wrong={refusedAt(make.error, "path")}
          required
          value={path}
          onChange={setPath}
        />
        <TextField
          label="Guarantee (GPUs)"
          hint={amountHint}
          wrong={amount === undefined ? wrongAmount(guarantee) : refusedAt(make.error, "guarantee")}
          value={guarantee}
          onChange={setGuarantee}
        />
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={amount === undefined || make.isPending}>
            Create
          </Button>
          <CommandLine>{`npx tess account create ${path || "NAME"}${optionOf(amount)}`}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}

function optionOf(amount: ReturnType<typeof readAmount> = 0): string {
  const parts =
    typeof amount === "number" ? [amount] : Object.entries(amount).map(([model, many]) => `${model}:${many}`);
  return amount === 0 ? "" : ` --guarantee '${parts.join(",")}'`;
}
