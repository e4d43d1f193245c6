import type { FormEvent } from "react";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { Button } from "../../design/parts.tsx";
import { tess } from "../../format/command.ts";
import { amountHint, byModel, plainGpus, readAmount, spellAmounts } from "./amounts.ts";

interface DialogProps {
  readonly under: string;
  readonly onClose: () => void;
  readonly onMade: (path: string) => void;
}

/** Creates an account below another; an empty `under` creates a tenant. */
export function AccountDialog({ under, onClose, onMade }: DialogProps) {
  const first = { path: under === "" ? "" : `${under}/`, guarantee: "0" };
  const [{ path, guarantee }, keep, drop] = useDraft(`account below ${under}`, first);
  const make = useAct("createAccount", ({ path: made }) => `${made} was made.`);
  const read = readAmount(guarantee);
  const change = (part: Partial<typeof first>) => {
    make.reset();
    keep({ path, guarantee, ...part });
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ("wrong" in read) return;
    const done = (account: { readonly path: string }) => {
      drop();
      onMade(account.path);
    };
    make.mutate({ body: { path, guarantee: read.amount } }, { onSuccess: done });
  };
  return (
    <Dialog title="New account" onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <TextField
          label="Path"
          hint="research is a tenant, research/nlp a team of it"
          wrong={refusedAt(make.error, "path")}
          required
          value={path}
          onChange={(text) => change({ path: text })}
        />
        <TextField
          label="Guarantee (GPUs)"
          hint={
            "amount" in read && read.amount !== 0
              ? `= ${spellAmounts(byModel(read.amount))}; ${amountHint}`
              : amountHint
          }
          wrong={"wrong" in read ? read.wrong : refusedAt(make.error, "guarantee")}
          value={guarantee}
          onChange={(text) => change({ guarantee: text })}
        />
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={"wrong" in read || make.isPending || make.isError}>
            Create
          </Button>
          {"amount" in read && (
            <CommandLine>
              {tess(["account", "create", path || "NAME", "--guarantee", plainGpus(read.amount)])}
            </CommandLine>
          )}
        </div>
      </form>
    </Dialog>
  );
}
