import type { PriceBookShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, SelectField, TextField } from "../../design/inputs.tsx";
import { Button, Notice } from "../../design/parts.tsx";
import { spellMoney, writeMoney } from "../../format/money.ts";
import { type ContractDraft, percentOf, readContract } from "./contract-view.ts";

type Contract = PriceBookShape["contracts"][number];

interface SetContractProps {
  readonly tenant: string;
  readonly before: Contract | undefined;
  readonly currency: string;
  readonly onClose: () => void;
}

/** Agrees on other prices with a tenant; the last month can be priced with them before. */
export function SetContract({ tenant, before, currency, onClose }: SetContractProps) {
  const billing = useCall("listBilling");
  const tenants = (billing.data?.items ?? []).map((each) => each.tenant);
  const [draft, setDraft, drop] = useDraft<ContractDraft>(`contract ${tenant}`, draftOf(tenant, before));
  const [effect, setEffect] = useState<string | undefined>();
  const set = useAct("setContract", () => `The contract of ${asked.tenant} applies from ${asked.from} on.`);
  const asked = { ...draft, tenant: draft.tenant === "" ? (tenants[0] ?? "") : draft.tenant };
  const read = readContract(asked);
  const wrong = "wrong" in read ? read.wrong : {};
  const at = { account: asked.tenant };
  const change = (part: Partial<ContractDraft>) => {
    set.reset();
    setEffect(undefined);
    setDraft({ ...draft, ...part });
  };
  const rate = (i: number, part: Partial<ContractDraft["rates"][number]>) =>
    change({ rates: draft.rates.map((each, k) => (k === i ? { ...each, ...part } : each)) });
  const preview = async () => {
    if (!("body" in read)) return;
    try {
      const { period, nowMicros, thenMicros } = await call("previewContract", { at, body: read.body });
      const money = (micros: string) => spellMoney(micros, currency);
      setEffect(`${asked.tenant} would have paid ${money(thenMicros)} for ${period} instead of ${money(nowMicros)}.`);
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
    if ("body" in read) set.mutate({ at, body: read.body }, { onSuccess: close });
  };
  return (
    <Dialog title={before === undefined ? "Set a contract" : `Contract of ${tenant}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        {tenant === "" && (
          <SelectField
            label="Tenant"
            value={asked.tenant}
            of={Object.fromEntries(tenants.map((each) => [each, each]))}
            onChange={(value) => change({ tenant: value })}
          />
        )}
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
                onChange={(model) => rate(i, { model })}
              />
              <TextField
                label="Guaranteed"
                hint={`${currency} per hour`}
                inputMode="decimal"
                value={each.reserved}
                onChange={(reserved) => rate(i, { reserved })}
              />
              <TextField
                label="Burst"
                hint={`${currency} per hour`}
                inputMode="decimal"
                value={each.burst}
                onChange={(burst) => rate(i, { burst })}
              />
            </div>
            <div className="row">
              <Button small onClick={() => change({ rates: draft.rates.filter((_, k) => k !== i) })}>
                Remove this price
              </Button>
              {wrong[`rates.${i}`] !== undefined && <span className="wrong-text small">{wrong[`rates.${i}`]}</span>}
            </div>
          </div>
        ))}
        <div className="row">
          <Button small onClick={() => change({ rates: [...draft.rates, { model: "", reserved: "", burst: "" }] })}>
            Add a price of a model
          </Button>
        </div>
        {before !== undefined && <Notice>It replaces the contract that the tenant has now. Closed months stay.</Notice>}
        {effect !== undefined && <Notice>{effect}</Notice>}
        <div className="row wrap">
          <Button disabled={!("body" in read)} onClick={() => void preview()}>
            Try it on the last month
          </Button>
          <Button kind="primary" type="submit" disabled={!("body" in read) || set.isPending || set.isError}>
            Agree on it
          </Button>
          <CommandLine>{`tess price contract ${asked.tenant} contract.yaml`}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}

/** The contract that is there, else one of a year from the first day of the next month. */
function draftOf(tenant: string, before: Contract | undefined): ContractDraft {
  if (before === undefined) {
    const now = new Date();
    const day = (months: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
    return { tenant, from: day(1), to: day(13), percent: "100", rates: [] };
  }
  const rates = before.gpus.map(({ model, reservedMicros, burstMicros }) => ({
    ...{ model, reserved: writeMoney(String(reservedMicros)), burst: writeMoney(String(burstMicros)) },
  }));
  const { from, to, perMille } = before;
  return { tenant, from: from.slice(0, 10), to: to.slice(0, 10), percent: percentOf(perMille), rates };
}
