import type { BudgetShape } from "@tessera/wire";
import { fallbackCurrency } from "@tessera/wire/money";
import { type FormEvent, useState } from "react";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useAccounts } from "../../api/use-accounts.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Dialog } from "../../design/dialog.tsx";
import { CommandLine, SelectField, TextField } from "../../design/inputs.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button } from "../../design/parts.tsx";
import { readMoney, spellMoney, writeMoney } from "../../format/money.ts";
import { AmountField } from "./amount-field.tsx";
import { readAlerts, type Stop, stops, stopsNow, writeAlerts } from "./stops.ts";

interface SetBudgetProps {
  readonly budgets: readonly BudgetShape[];
  /** The budget that is changed; absent = one is made. */
  readonly before?: BudgetShape | undefined;
  readonly onClose: () => void;
}

/** Sets or changes the budget of an account, and says what it means before it is set. */
export function SetBudget({ budgets, before, onClose }: SetBudgetProps) {
  const paths = useAccounts()
    .filter((each) => mayDo("setBudget", each))
    .map(({ path }) => path);
  const [draft, setDraft, drop] = useDraft(
    before === undefined ? "budget" : `budget ${before.account} ${before.revision}`,
    {
      account: before?.account ?? "",
      limit: before === undefined ? "1000" : writeMoney(before.limitMicros),
      every: before?.every ?? ("month" as BudgetShape["every"]),
      alerts: writeAlerts(before?.alertsPerMille ?? [500, 800, 900]),
      stop: before?.stop ?? ("alert" as Stop),
    },
  );
  const account = draft.account === "" ? (paths[0] ?? "") : draft.account;
  const set = useAct("setBudget", ({ account: at }) => `${at} has a budget now.`);
  const { spentMicros, currency } = useSpent(account, budgets);
  const read = readMoney(draft.limit);
  const alerts = readAlerts(draft.alerts);
  const change = (part: Partial<typeof draft>) => {
    set.reset();
    setDraft({ ...draft, ...part });
  };
  const close = () => {
    drop();
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!("micros" in read) || alerts === undefined) return;
    const body = { limitMicros: read.micros, every: draft.every, alertsPerMille: alerts, stop: draft.stop };
    const ifMatch = before === undefined ? {} : { ifMatch: before.revision };
    set.mutate({ at: { account }, body, ...ifMatch }, { onSuccess: close });
  };
  const isReady = "micros" in read && alerts !== undefined && account !== "";
  const command = `tess budget set ${account} --limit ${draft.limit} --every ${draft.every} --stop ${draft.stop}`;
  return (
    <Dialog title={before === undefined ? "Set a budget" : `Budget of ${before.account}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        {before === undefined && (
          <SelectField
            label="Account"
            value={account}
            of={Object.fromEntries(paths.map((path) => [path, path]))}
            onChange={(path) => change({ account: path })}
          />
        )}
        <AmountField
          label={draft.every === "month" ? "At most, per month" : "At most, in all"}
          hint="in the currency of the price list"
          value={draft.limit}
          read={read}
          currency={currency}
          means={meaning("micros" in read ? read.micros : "0", spentMicros, currency, draft)}
          onChange={(limit) => change({ limit })}
        />
        <SelectField
          label="It begins again"
          value={draft.every}
          of={{ month: "each month", once: "never: it is spent once" }}
          onChange={(every) => change({ every })}
        />
        <TextField
          label="Alerts"
          hint={
            alerts === undefined || alerts.length === 0
              ? "percent of the limit at which people are told, such as 50, 80, 90"
              : `people are told at ${alerts.map((each) => `${each / 10} %`).join(", ")} of the limit`
          }
          wrong={
            alerts === undefined
              ? "Type at most ten percentages from 0.1 to 100, with commas between."
              : refusedAt(set.error, "alertsPerMille")
          }
          value={draft.alerts}
          onChange={(text) => change({ alerts: text })}
        />
        <SelectField label="When it is spent" value={draft.stop} of={stops} onChange={(stop) => change({ stop })} />
        <div className="row wrap">
          <Button kind="primary" type="submit" disabled={!isReady || set.isPending || set.isError}>
            Set it
          </Button>
          <CommandLine>{command}</CommandLine>
        </div>
      </form>
    </Dialog>
  );
}

/** `a month; 13,831.00 EUR spent; nothing stops`. */
function meaning(
  limit: string,
  spent: string | undefined,
  currency: string,
  { every, stop }: { every: BudgetShape["every"]; stop: Stop },
): string {
  const often = every === "month" ? "a month" : "in all";
  if (spent === undefined) return often;
  const isSpent = BigInt(spent) >= BigInt(limit);
  return `${often}; ${spellMoney(spent, currency)} spent; ${isSpent ? stopsNow[stop] : "nothing stops"}`;
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
