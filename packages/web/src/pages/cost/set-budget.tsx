import type { BudgetShape } from "@tessera/wire";
import { type FormEvent, type ReactNode, useId } from "react";
import { useDraft } from "../../api/draft.ts";
import { refusedAt } from "../../api/refused-at.ts";
import { useSeenDraft } from "../../api/seen-draft.ts";
import { triedWords } from "../../api/tried-words.ts";
import { useAccounts } from "../../api/use-accounts.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { useTried } from "../../api/use-tried.ts";
import { ChangedMeanwhile } from "../../design/changed-meanwhile.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Effects } from "../../design/effects.tsx";
import { CommandLine, TextField } from "../../design/inputs.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Notice, Skeleton } from "../../design/parts.tsx";
import { SelectField } from "../../design/select.tsx";
import { readMoney, spellMoney } from "../../format/money.ts";
import { spellNumber } from "../../format/numbers.ts";
import { isWithin, useAccount } from "../../frame/account.ts";
import { AmountField } from "./amount-field.tsx";
import { type BudgetDraft, budgetBody, budgetCommand, budgetDraftOf, budgetEffects } from "./budget-form.ts";
import { readAlerts, stops } from "./stops.ts";

interface SetBudgetProps {
  readonly budgets: readonly BudgetShape[];
  /** Whose budget is changed; absent: an account is chosen. */
  readonly account?: string;
  readonly onClose: () => void;
}

/** Sets or changes the budget of an account, and says where it stands and what it stops before it is set. */
export function SetBudget({ budgets, account: given, onClose }: SetBudgetProps) {
  // Of accounts beside the one that the page is narrowed to, no budget is known.
  const within = useAccount();
  const paths = useAccounts()
    .filter((each) => mayDo("setBudget", each) && isWithin(each.path, within))
    .map(({ path }) => path);
  const [chosen, choose, forget] = useDraft("account of a budget", "");
  const budgetOf = (path: string) => budgets.find((each) => each.account === path);
  const account = given ?? (chosen || (paths.find((path) => budgetOf(path) === undefined) ?? paths[0] ?? ""));
  const close = () => {
    forget();
    onClose();
  };
  const of = Object.fromEntries(
    paths.map((path) => [path, budgetOf(path) === undefined ? path : `${path} (has a budget)`]),
  );
  const field = given === undefined && <SelectField label="Account" value={account} of={of} onChange={choose} />;
  if (account === "")
    return (
      <Dialog title="Set a budget" onClose={close}>
        {field}
        <Skeleton lines={6} />
      </Dialog>
    );
  return (
    <BudgetForm key={account} account={account} before={budgetOf(account)} onClose={close}>
      {field}
    </BudgetForm>
  );
}

interface FormProps {
  readonly account: string;
  /** The budget that the account has now. */
  readonly before: BudgetShape | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Replaces the budget that was seen when the typing began; one that others changed since then is shown first. */
function BudgetForm({ account, before, onClose, children }: FormProps) {
  const { draft, seen, isStale, type, goOn, drop } = useSeenDraft(
    `budget ${account}`,
    budgetDraftOf(before),
    before?.revision ?? "",
  );
  const set = useAct("setBudget", ({ account: at }) => `The budget of ${at} was set.`);
  const body = budgetBody(draft);
  const effects = useId();
  const tried = useTried("previewBudget", { account }, body);
  const currency = useCall("readPrices").data?.versions.at(-1)?.currency;
  const read = readMoney(draft.limit);
  const alerts = readAlerts(draft.alerts);
  const change = (part: Partial<BudgetDraft>) => {
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
    if (body === undefined) return;
    const known = seen === "" ? { ifNone: true } : { ifMatch: seen };
    set.mutate({ at: { account }, body, ...known }, { onSuccess: close });
  };
  const isReady = tried.ready && !isStale && !set.isPending && !set.isError;
  return (
    <Dialog title={before === undefined ? "Set a budget" : `Change the budget of ${account}`} onClose={close}>
      <form className="stack tight" onSubmit={submit}>
        {children}
        {before !== undefined && !isStale && (
          <Notice>
            {account} has a budget of {spellMoney(before.limitMicros, before.currency)}
            {before.every === "month" ? " a month" : ", spent once"}. What is set here replaces it.
          </Notice>
        )}
        <AmountField
          label={draft.every === "month" ? "At most, per month" : "At most, in all"}
          hint="in the currency of the price list"
          value={draft.limit}
          read={"micros" in read && read.micros === "0" ? { wrong: "Type an amount above 0." } : read}
          currency={currency}
          means={draft.every === "month" ? "a month" : "in all"}
          onChange={(limit) => change({ limit })}
        />
        <SelectField
          label="Resets"
          value={draft.every}
          of={{ month: "each month", once: "never" }}
          onChange={(every) => change({ every })}
        />
        <TextField
          label="Alerts"
          hint={
            alerts === undefined || alerts.length === 0
              ? "percent of the limit at which people are told, such as 50, 80, 90"
              : `people are told at ${alerts.map((each) => `${spellNumber(each / 10)} %`).join("; ")} of the limit`
          }
          wrong={
            alerts === undefined
              ? "Type at most ten percentages from 0.1 to 100, with a space or a semicolon between two."
              : refusedAt(set.error, "alertsPerMille")
          }
          value={draft.alerts}
          onChange={(text) => change({ alerts: text })}
        />
        <SelectField label="When it is spent" value={draft.stop} of={stops} onChange={(stop) => change({ stop })} />
        {tried.error !== null && <Notice kind="bad">{triedWords(tried.error)}</Notice>}
        <Effects
          id={effects}
          of={body === undefined || tried.data === undefined ? [] : budgetEffects(tried.data, body)}
        />
        {body !== undefined && tried.data === undefined && tried.error === null && <Skeleton lines={2} />}
        {before !== undefined && before.stopped !== "none" && tried.data?.passedPerMille !== 1000 && (
          <Notice>Jobs that the budget stops now may start again.</Notice>
        )}
        {isStale && (
          <ChangedMeanwhile onGoOn={onGoOn}>
            {before === undefined
              ? `The budget of ${account} was deleted by someone else while you typed.`
              : `The budget of ${account} was changed by someone else while you typed: ${spellMoney(before.limitMicros, before.currency)}${before.every === "month" ? " a month" : " in all"}, then ${stops[before.stop]}.`}
          </ChangedMeanwhile>
        )}
        <div className="row wrap">
          <Button kind="primary" type="submit" aria-describedby={effects} disabled={!isReady}>
            Set it
          </Button>
          {body !== undefined && <CommandLine>{budgetCommand(account, body)}</CommandLine>}
        </div>
      </form>
    </Dialog>
  );
}
