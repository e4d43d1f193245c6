import type { BillingShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card, Field } from "../../design/parts.tsx";
import { readMoney, spellMoney, writeMoney } from "../../format/money.ts";
import { AmountField } from "./amount-field.tsx";

/** How each tenant is billed, what it owes and what credit it has left. */
export function Billing() {
  const [editing, setEditing] = useState<BillingShape | undefined>();
  const { data } = useCall("listBilling", {}, { everyMs: 30_000 });
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Card flush title="Tenants">
      <div className="table-box">
        <table className="table">
          <thead>
            <tr>
              <th>Tenant</th>
              <th>Billed by</th>
              <th className="number">Owed</th>
              <th className="number">Set aside</th>
              <th className="number">Not invoiced</th>
              <th className="number">Credit left</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {data.items.map((billing) => (
              <Row
                key={billing.tenant}
                billing={billing}
                onEdit={mayDo("setBilling", billing) ? setEditing : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
      {editing !== undefined && <SetBilling billing={editing} onClose={() => setEditing(undefined)} />}
    </Card>
  );
}

function Row({ billing, onEdit }: { billing: BillingShape; onEdit: ((billing: BillingShape) => void) | undefined }) {
  const { tenant, mode, currency, owedMicros, heldMicros, openMicros, leftMicros, stopped } = billing;
  const money = (micros: string) => spellMoney(micros, currency);
  return (
    <tr>
      <td>{tenant}</td>
      <td>{mode}</td>
      <td className="number">{money(owedMicros)}</td>
      <td className="number">{money(heldMicros)}</td>
      <td className="number">{money(openMicros)}</td>
      <td className="number">
        {leftMicros === undefined ? "no limit" : money(leftMicros)}{" "}
        {stopped && (
          <Chip tone="down" shape="cross">
            stop-burst
          </Chip>
        )}
      </td>
      <td className="number">
        {onEdit !== undefined && (
          <Button small data-act="setBilling" onClick={() => onEdit(billing)}>
            Change
          </Button>
        )}
      </td>
    </tr>
  );
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
