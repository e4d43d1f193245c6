import type { BudgetShape } from "@tessera/wire";
import { fallbackCurrency } from "@tessera/wire/money";
import { type FormEvent, useState } from "react";
import { useDraft } from "../../api/draft.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Field } from "../../design/parts.tsx";
import { readMoney, spellMoney } from "../../format/money.ts";
import { AmountField } from "./amount-field.tsx";
import { type Stop, stops, stopsNow } from "./stops.ts";

/** Sets the budget of an account for each month, and says what it means before it is set. */
export function SetBudget({ budgets, onClose }: { budgets: readonly BudgetShape[]; onClose: () => void }) {
  const accounts = useCall("listAccounts", { query: { limit: 1000 } });
  const paths = (accounts.data?.items ?? []).map(({ path }) => path).filter((path) => path !== "");
  const [draft, setDraft, drop] = useDraft("budget", { account: "", limit: "1000", stop: "alert" as Stop });
  const account = draft.account === "" ? (paths[0] ?? "") : draft.account;
  const set = useAct("setBudget", ({ account: at }) => `${at} has a budget now.`);
  const { spentMicros, currency } = useSpent(account, budgets);
  const read = readMoney(draft.limit);
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!("micros" in read)) return;
    const body = { limitMicros: read.micros, every: "month" as const, stop: draft.stop };
    set.mutate({ at: { account }, body }, { onSuccess: close });
  };
  return (
    <Dialog title="Set a budget" onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        <Field label="Account">
          {(props) => (
            <select
              {...props}
              className="input"
              value={account}
              onChange={(event) => setDraft({ ...draft, account: event.target.value })}
            >
              {paths.map((path) => (
                <option key={path}>{path}</option>
              ))}
            </select>
          )}
        </Field>
        <AmountField
          label="At most, per month"
          hint="in the currency of the price list"
          value={draft.limit}
          read={read}
          currency={currency}
          means={meaning("micros" in read ? read.micros : "0", spentMicros, currency, draft.stop)}
          onChange={(limit) => setDraft({ ...draft, limit })}
        />
        <Field label="When it is spent">
          {(props) => (
            <select
              {...props}
              className="input"
              value={draft.stop}
              onChange={(event) => setDraft({ ...draft, stop: event.target.value as Stop })}
            >
              {Object.entries(stops).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div className="row">
          <Button kind="primary" type="submit" disabled={!("micros" in read) || account === "" || set.isPending}>
            Set it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** `a month; 13,831.00 EUR spent; nothing stops`. */
function meaning(limit: string, spent: string | undefined, currency: string, stop: Stop): string {
  if (spent === undefined) return "a month";
  const isSpent = BigInt(spent) >= BigInt(limit);
  return `a month; ${spellMoney(spent, currency)} spent; ${isSpent ? stopsNow[stop] : "nothing stops"}`;
}

/** What the account has spent this month: as its budget counts it, where it has one. */
function useSpent(account: string, budgets: readonly BudgetShape[]): { spentMicros?: string; currency: string } {
  const budget = budgets.find((each) => each.account === account);
  const [from] = useState(() => `${new Date().toISOString().slice(0, 7)}-01`);
  const costs = useCall("readCosts", { query: { account, from } }, { on: account !== "" && budget === undefined });
  if (budget !== undefined) return budget;
  const { totalMicros, currency = fallbackCurrency } = costs.data ?? {};
  return { currency, ...(totalMicros !== undefined && { spentMicros: totalMicros }) };
}
