import type { BillingShape } from "@tessera/wire";
import type { FormEvent } from "react";
import { wordsOf } from "../../api/call.ts";
import { useDraft } from "../../api/draft.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Effects } from "../../design/effects.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card, Notice } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { readMoney, spellMoney } from "../../format/money.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { AmountField } from "./amount-field.tsx";
import { type BillingDraft, billingBody, billingCommand, billingDraftOf, billingEffect } from "./billing-form.ts";

/** How each tenant is billed, what it owes and what credit it has left. */
export function Billing() {
  const [setting, open] = useOpen("billing");
  const { data } = useCall("listBilling", {}, { everyMs: 30_000 });
  const columns = columnsOf(open);
  const { look } = useLook(columns, { name: "tenants" });
  if (data === undefined || data.items.length === 0) return null;
  const edited = data.items.find(({ tenant }) => tenant === setting);
  return (
    <Card flush title="Tenants">
      <Table label="Tenants" items={data.items} columns={columns} look={look} keyOf={({ tenant }) => tenant} />
      {edited !== undefined && <SetBilling key={edited.tenant} billing={edited} onClose={() => open(undefined)} />}
    </Card>
  );
}

function money(label: string, of: (billing: BillingShape) => string): Column<BillingShape> {
  return {
    label,
    number: true,
    show: (billing) => spellMoney(of(billing), billing.currency),
    by: (billing) => BigInt(of(billing)),
  };
}

function columnsOf(onEdit: (tenant: string) => void): readonly Column<BillingShape>[] {
  return [
    { label: "Tenant", show: ({ tenant }) => tenant, by: ({ tenant }) => tenant },
    { label: "Billed by", show: ({ mode }) => mode, by: ({ mode }) => mode },
    money("Owed", ({ owedMicros }) => owedMicros),
    money("Set aside", ({ heldMicros }) => heldMicros),
    money("Not invoiced", ({ openMicros }) => openMicros),
    {
      label: "Credit left",
      number: true,
      show: ({ leftMicros, currency, stopped }) => (
        <>
          {leftMicros === undefined ? "no limit" : spellMoney(leftMicros, currency)}{" "}
          {stopped && (
            <Chip tone="down" shape="cross">
              stop-burst
            </Chip>
          )}
        </>
      ),
      by: ({ leftMicros }) => (leftMicros === undefined ? Number.POSITIVE_INFINITY : BigInt(leftMicros)),
    },
    {
      label: "Acts",
      hasNoHead: true,
      number: true,
      show: (billing) =>
        mayDo("setBilling", billing) && (
          <Button small data-act="setBilling" onClick={() => onEdit(billing.tenant)}>
            Change
          </Button>
        ),
    },
  ];
}

function SetBilling({ billing, onClose }: { billing: BillingShape; onClose: () => void }) {
  const { tenant, currency } = billing;
  const [draft, keep, drop] = useDraft(`billing ${tenant}`, billingDraftOf(billing));
  const set = useAct("setBilling", (now) => `${now.tenant} is billed by ${now.mode} now.`);
  const body = billingBody(draft);
  const change = (part: Partial<BillingDraft>) => {
    set.reset();
    keep({ ...draft, ...part });
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body !== undefined) set.mutate({ at: { account: tenant }, body }, { onSuccess: close });
  };
  return (
    <Dialog title={`How ${tenant} is billed`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <SelectField
          label="Billing"
          value={draft.mode}
          of={{
            chargeback: "owes what it uses (chargeback)",
            showback: "is only shown what it uses (showback)",
          }}
          onChange={(mode) => change({ mode })}
        />
        <AmountField
          label="Credit limit"
          hint={`in ${currency}; empty = no limit, 0 = only what was paid in advance`}
          value={draft.limit}
          read={draft.limit.trim() === "" ? null : readMoney(draft.limit)}
          currency={currency}
          onChange={(limit) => change({ limit })}
        />
        {body !== undefined && <Effects of={[billingEffect(billing, body)]} />}
        {set.error !== null && <Notice kind="bad">{wordsOf(set.error)}</Notice>}
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={body === undefined || set.isPending || set.isError}>
            Set it
          </Button>
          {body !== undefined && <CommandLine>{billingCommand(tenant, body)}</CommandLine>}
        </div>
      </form>
    </Dialog>
  );
}
