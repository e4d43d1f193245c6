import type { BillingShape } from "@tessera/wire";
import { type FormEvent, useId } from "react";
import { wordsOf } from "../../api/call.ts";
import { useSeenDraft } from "../../api/seen-draft.ts";
import { triedWords } from "../../api/tried-words.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { useTried } from "../../api/use-tried.ts";
import { ChangedMeanwhile } from "../../design/changed-meanwhile.tsx";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Effects } from "../../design/effects.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card, Notice, Skeleton } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { readMoney, spellMoney } from "../../format/money.ts";
import { useOpen } from "../../frame/open.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { AmountField } from "./amount-field.tsx";
import { type BillingDraft, billingBody, billingCommand, billingDraftOf, billingEffects } from "./billing-form.ts";

/** How each tenant, or one alone, is billed, what it owes and what credit it has left. */
export function Billing({ tenant }: { tenant: string }) {
  const [setting, open] = useOpen("billing");
  const query = tenant === "" ? {} : { account: tenant };
  const { data } = useCall("listBilling", { query }, { everyMs: 30_000 });
  const columns = columnsOf(open);
  const { look } = useLook(columns, { name: "tenants" });
  if (data === undefined || data.items.length === 0) return null;
  const edited = data.items.find((each) => each.tenant === setting);
  return (
    <Card flush title="Tenants">
      <Table label="Tenants" items={data.items} columns={columns} look={look} keyOf={({ tenant: each }) => each} />
      {edited !== undefined && <SetBilling key={edited.tenant} billing={edited} onClose={() => open(undefined)} />}
    </Card>
  );
}

function money(label: string, of: (billing: BillingShape) => string, below = true): Column<BillingShape> {
  return {
    label,
    number: true,
    below,
    show: (billing) => spellMoney(of(billing), billing.currency),
    by: (billing) => BigInt(of(billing)),
  };
}

function columnsOf(onEdit: (tenant: string) => void): readonly Column<BillingShape>[] {
  return [
    { label: "Tenant", show: ({ tenant }) => tenant, by: ({ tenant }) => tenant },
    { label: "Billed by", below: true, show: ({ mode }) => mode, by: ({ mode }) => mode },
    money("Owed", ({ owedMicros }) => owedMicros, false),
    money("Set aside", ({ heldMicros }) => heldMicros),
    money("Not invoiced, before credits", ({ openMicros }) => openMicros),
    {
      label: "Credit left",
      number: true,
      below: true,
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

/** Replaces what was seen when the typing began, and says before what would follow from it. */
function SetBilling({ billing, onClose }: { billing: BillingShape; onClose: () => void }) {
  const { tenant, currency, mode, creditLimitMicros: limit } = billing;
  const first = billingDraftOf(billing);
  const { draft, seen, isStale, type, goOn, drop } = useSeenDraft(`billing of ${tenant}`, first, billing.revision);
  const effects = useId();
  const set = useAct("setBilling", (now) => `${now.tenant} is billed by ${now.mode} now.`);
  const body = billingBody(draft);
  const tried = useTried("previewBilling", { account: tenant }, body);
  const change = (part: Partial<BillingDraft>) => {
    set.reset();
    type(part);
  };
  const onGoOn = () => {
    set.reset();
    goOn();
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body !== undefined) set.mutate({ at: { account: tenant }, body, ifMatch: seen }, { onSuccess: close });
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
        {tried.error !== null && <Notice kind="bad">{triedWords(tried.error)}</Notice>}
        <Effects id={effects} of={tried.data === undefined ? [] : billingEffects(tried.data, draft, billing.stopped)} />
        {body !== undefined && tried.data === undefined && tried.error === null && <Skeleton lines={2} />}
        {set.error !== null && !isStale && <Notice kind="bad">{wordsOf(set.error)}</Notice>}
        {isStale && (
          <ChangedMeanwhile onGoOn={onGoOn}>
            How {tenant} is billed was changed by someone else while you typed: {mode},{" "}
            {limit === undefined ? "no credit limit" : `credit limit ${spellMoney(limit, currency)}`} now.
          </ChangedMeanwhile>
        )}
        <div className="row wrap">
          <Button
            kind="primary"
            type="submit"
            aria-describedby={effects}
            disabled={!tried.ready || isStale || set.isPending || set.isError}
          >
            Set it
          </Button>
          {body !== undefined && <CommandLine>{billingCommand(tenant, body)}</CommandLine>}
        </div>
      </form>
    </Dialog>
  );
}
