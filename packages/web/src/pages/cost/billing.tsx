import type { BillingShape } from "@tessera/wire";
import { type FormEvent, useMemo, useState } from "react";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card, Field } from "../../design/parts.tsx";
import { readMoney, spellMoney, writeMoney } from "../../format/money.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { AmountField } from "./amount-field.tsx";

/** How each tenant is billed, what it owes and what credit it has left. */
export function Billing() {
  const [editing, setEditing] = useState<BillingShape | undefined>();
  const { data } = useCall("listBilling", {}, { everyMs: 30_000 });
  const columns = useMemo(() => columnsOf(setEditing), []);
  const { look } = useLook(columns, { name: "tenants" });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Card flush title="Tenants">
      <Table label="Tenants" items={data.items} columns={columns} look={look} keyOf={({ tenant }) => tenant} />
      {editing !== undefined && <SetBilling billing={editing} onClose={() => setEditing(undefined)} />}
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

function columnsOf(onEdit: (billing: BillingShape) => void): readonly Column<BillingShape>[] {
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
          <Button small data-act="setBilling" onClick={() => onEdit(billing)}>
            Change
          </Button>
        ),
    },
  ];
}

function SetBilling({ billing, onClose }: { billing: BillingShape; onClose: () => void }) {
  const { tenant, currency, creditLimitMicros } = billing;
  const [mode, setMode] = useState(billing.mode);
  const [limit, setLimit] = useState(creditLimitMicros === undefined ? "" : writeMoney(creditLimitMicros));
  const set = useAct("setBilling", (now) => `${now.tenant} is billed by ${now.mode} now.`);
  const read = limit.trim() === "" ? null : readMoney(limit);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (read !== null && "wrong" in read) return;
    const body = { mode, creditLimitMicros: read === null ? null : read.micros };
    set.mutate({ at: { account: tenant }, body }, { onSuccess: onClose });
  };
  return (
    <Dialog title={`How ${tenant} is billed`} onClose={onClose}>
      <form className="stack tight" onSubmit={submit}>
        <Field label="Billing">
          {(props) => (
            <select
              {...props}
              className="input"
              value={mode}
              onChange={(event) => setMode(event.target.value as BillingShape["mode"])}
            >
              <option value="chargeback">owes what it uses (chargeback)</option>
              <option value="showback">is only shown what it uses (showback)</option>
            </select>
          )}
        </Field>
        <AmountField
          label="Credit limit"
          hint={`in ${currency}; empty = no limit, 0 = only what was paid in advance`}
          value={limit}
          read={read}
          currency={currency}
          means={billing.leftMicros === undefined ? "" : `; ${spellMoney(billing.owedMicros, currency)} owed now`}
          onChange={setLimit}
        />
        <div className="row">
          <Button kind="primary" type="submit" disabled={(read !== null && "wrong" in read) || set.isPending}>
            Set it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
