import { type FormEvent, type ReactNode, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useSeenDraft } from "../../api/seen-draft.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { ChangedMeanwhile } from "../../design/changed-meanwhile.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Notice, Skeleton } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { readMoney, spellMoney } from "../../format/money.ts";
import { AmountField } from "./amount-field.tsx";
import {
  type Contract,
  type ContractDraft,
  contractCommand,
  contractDraftOf,
  contractsAfter,
  readContract,
} from "./contract-view.ts";

interface SetContractProps {
  readonly contracts: readonly Contract[];
  /** The contract that is changed; absent: a tenant is chosen. */
  readonly before?: Contract | undefined;
  readonly currency: string;
  readonly onClose: () => void;
}

/** Agrees on other prices with a tenant; the last month can be priced with them before. */
export function SetContract({ contracts, before, currency, onClose }: SetContractProps) {
  const billing = useCall("listBilling");
  const tenants = (billing.data?.items ?? []).filter((each) => mayDo("setContract", each)).map((each) => each.tenant);
  const [chosen, choose, forget] = useDraft("tenant of a contract", "");
  const ofTenant = (tenant: string) => contracts.filter((each) => each.tenant === tenant);
  const tenant =
    before?.tenant ?? (chosen || (tenants.find((each) => ofTenant(each).length === 0) ?? tenants[0] ?? ""));
  const close = () => {
    forget();
    onClose();
  };
  const of = Object.fromEntries(tenants.map((each) => [each, each]));
  const field = before === undefined && <SelectField label="Tenant" value={tenant} of={of} onChange={choose} />;
  if (tenant === "")
    return (
      <Dialog title="Set a contract" onClose={close}>
        {field}
        {billing.data === undefined ? <Skeleton lines={6} /> : <p>There is no tenant that you may agree with.</p>}
      </Dialog>
    );
  return (
    <ContractForm key={tenant} {...{ tenant, before, currency }} contracts={ofTenant(tenant)} onClose={close}>
      {field}
    </ContractForm>
  );
}

interface FormProps {
  readonly tenant: string;
  readonly before: Contract | undefined;
  /** All that the tenant has now. */
  readonly contracts: readonly Contract[];
  readonly currency: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Replaces the contracts that were seen when the typing began; where others set one since then, it says so first. */
function ContractForm({ tenant, before, contracts, currency, onClose, children }: FormProps) {
  const revision = contracts[0]?.revision ?? "";
  const name = `contract ${tenant} ${before?.from ?? ""}`;
  const first = contractDraftOf(tenant, before, new Date());
  const { draft, seen, isStale, type, goOn, drop } = useSeenDraft(name, first, revision);
  const [effect, setEffect] = useState<string | undefined>();
  const set = useAct("setContract", () => `The contract of ${tenant} applies from ${draft.from} on.`);
  const read = readContract(draft);
  const wrong = "wrong" in read ? read.wrong : {};
  const at = { account: tenant };
  const change = (part: Partial<ContractDraft>) => {
    set.reset();
    setEffect(undefined);
    type(part);
  };
  const onGoOn = () => {
    set.reset();
    goOn();
  };
  const rate = (i: number, part: Partial<ContractDraft["rates"][number]>) =>
    change({ rates: draft.rates.map((each, k) => (k === i ? { ...each, ...part } : each)) });
  const preview = async () => {
    if (!("body" in read)) return;
    try {
      const { period, nowMicros, thenMicros } = await call("previewContract", { at, body: read.body });
      const money = (micros: string) => spellMoney(micros, currency);
      setEffect(`${tenant} would have paid ${money(thenMicros)} for ${period} instead of ${money(nowMicros)}.`);
    } catch (error) {
      setEffect(wordsOf(error));
    }
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const known = seen === "" ? { ifNone: true } : { ifMatch: seen };
    if ("body" in read) set.mutate({ at, body: read.body, ...known }, { onSuccess: close });
  };
  return (
    <Dialog title={before === undefined ? "Set a contract" : `Change the contract of ${tenant}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        {children}
        <div className="fields">
          <TextField
            label="From"
            type="date"
            value={draft.from}
            wrong={wrong.from ?? refusedAt(set.error, "from")}
            onChange={(from) => change({ from })}
          />
          <TextField
            label="To"
            type="date"
            value={draft.to}
            wrong={wrong.to ?? refusedAt(set.error, "to")}
            hint="the first day without it, UTC"
            onChange={(to) => change({ to })}
          />
        </div>
        <TextField
          label="Percent of the list's prices"
          hint="100 changes nothing, 90 is a tenth less"
          inputMode="decimal"
          value={draft.percent}
          wrong={wrong.percent}
          onChange={(percent) => change({ percent })}
        />
        {draft.rates.map((each, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name but its place
          <div key={i} className="stack tight">
            <div className="fields">
              <TextField
                label="Model"
                value={each.model}
                hint="or * for any"
                wrong={wrong[`rates.${i}.model`]}
                onChange={(model) => rate(i, { model })}
              />
              <AmountField
                label="Guaranteed"
                hint={`${currency} per hour`}
                value={each.reserved}
                read={each.reserved === "" ? null : readMoney(each.reserved)}
                currency={currency}
                means="an hour"
                onChange={(reserved) => rate(i, { reserved })}
              />
              <AmountField
                label="Burst"
                hint={`${currency} per hour`}
                value={each.burst}
                read={each.burst === "" ? null : readMoney(each.burst)}
                currency={currency}
                means="an hour"
                onChange={(burst) => rate(i, { burst })}
              />
            </div>
            <div className="row">
              <Button small onClick={() => change({ rates: draft.rates.filter((_, k) => k !== i) })}>
                Remove this price
              </Button>
            </div>
          </div>
        ))}
        <div className="row">
          <Button small onClick={() => change({ rates: [...draft.rates, { model: "", reserved: "", burst: "" }] })}>
            Add a price of a model
          </Button>
        </div>
        {"body" in read &&
          !isStale &&
          contractsAfter(contracts, read.body).map((text) => <Notice key={text}>{text} Closed months stay.</Notice>)}
        {effect !== undefined && <Notice>{effect}</Notice>}
        {isStale && (
          <ChangedMeanwhile onGoOn={onGoOn}>
            The contracts of {tenant} were changed by someone else while you typed.
          </ChangedMeanwhile>
        )}
        <div className="row wrap">
          <Button disabled={!("body" in read)} onClick={() => void preview()}>
            Try it on the last month
          </Button>
          <Button kind="primary" type="submit" disabled={!("body" in read) || isStale || set.isPending || set.isError}>
            Agree on it
          </Button>
          {"body" in read && <CommandLine>{contractCommand(tenant, read.body)}</CommandLine>}
        </div>
      </form>
    </Dialog>
  );
}
