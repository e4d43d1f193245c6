import type { BudgetPut, BudgetShape } from "@tessera/wire";
import { type FormEvent, useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Button, Card, Empty, Field, Skeleton, Time } from "../../design/parts.tsx";
import { spellShare } from "../../format/numbers.ts";
import { AmountField } from "./amount-field.tsx";
import { CostTabs } from "./cost-tabs.tsx";
import { readMoney, shareOf, spellMoney } from "./money.ts";

const stops = {
  alert: "only alert",
  "refuse-new": "refuse new jobs",
  "stop-burst": "stop burst jobs",
  "stop-all": "stop all jobs",
} as const;

/** The budget of each account, the amount spent, and what happens when it is spent. */
export default function BudgetsPage() {
  const may = useMay();
  const [making, setMaking] = useState(false);
  const { data } = useCall("listBudgets", {}, { everyMs: 15_000 });
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        {may("budget.write") && (
          <Button kind="primary" onClick={() => setMaking(true)}>
            Set a budget
          </Button>
        )}
      </div>
      <CostTabs here="budgets" />
      {data === undefined ? (
        <Skeleton lines={4} />
      ) : data.items.length === 0 ? (
        <Card>
          <Empty title="No budgets yet" command="npx tess budget --help" />
        </Card>
      ) : (
        <div className="stack">
          {data.items.map((budget) => (
            <Budget key={budget.account} budget={budget} />
          ))}
        </div>
      )}
      {making && <SetBudget onClose={() => setMaking(false)} />}
    </div>
  );
}

function Budget({ budget }: { budget: BudgetShape }) {
  const may = useMay();
  const drop = useAct("dropBudget", () => `${budget.account} has no budget any more.`);
  const { account, currency, limitMicros, spentMicros, forecastMicros, spentAt, stopped, stop, every, overMicros } =
    budget;
  const spent = shareOf(spentMicros, limitMicros);
  return (
    <Card
      title={account}
      beside={
        <span className="row wrap">
          {stopped !== "none" && (
            <Chip tone="down" shape="cross">
              {stopped}
            </Chip>
          )}
          {may("budget.write") && (
            <Button small onClick={() => drop.mutate({ at: { account } })}>
              Delete
            </Button>
          )}
        </span>
      }
    >
      <div className="stack tight">
        <div className="bar" role="img" aria-label={`${spellShare(spent, 1)} is spent`}>
          <div className="part used" style={{ left: 0, width: `${Math.min(100, 100 * spent)}%` }} />
          <div
            className="part tick"
            style={{ left: `${Math.min(99.5, 100 * shareOf(forecastMicros, limitMicros))}%` }}
            title="forecast"
          />
        </div>
        <p>
          {spellMoney(spentMicros, currency)} of {spellMoney(limitMicros, currency)}{" "}
          {every === "month" ? "this month" : ""} ({spellShare(spent, 1)}
          {overMicros !== undefined && `, over by ${spellMoney(overMicros, currency)}`}); it will come to{" "}
          {spellMoney(forecastMicros, currency)}
          {spentAt !== undefined && (
            <>
              , and is used up <Time at={spentAt} />
            </>
          )}
          . When it is spent: {stops[stop]}.
        </p>
      </div>
    </Card>
  );
}

function SetBudget({ onClose }: { onClose: () => void }) {
  const accounts = useCall("listAccounts", { query: { limit: 1000 } });
  const paths = (accounts.data?.items ?? []).map(({ path }) => path).filter((path) => path !== "");
  const [chosen, setAccount] = useState<string | undefined>();
  const [limit, setLimit] = useState("1000");
  const [stop, setStop] = useState<NonNullable<BudgetPut["stop"]>>("alert");
  const set = useAct("setBudget", ({ account }) => `${account} has a budget now.`);
  const micros = readMoney(limit);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (micros === undefined) return;
    set.mutate(
      { at: { account: chosen ?? paths[0] ?? "" }, body: { limitMicros: micros, every: "month", stop } },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog title="Set a budget" onClose={onClose}>
      <form className="stack tight" onSubmit={submit}>
        <Field label="Account">
          {(props) => (
            <select
              {...props}
              className="input"
              value={chosen ?? paths[0] ?? ""}
              onChange={(event) => setAccount(event.target.value)}
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
          value={limit}
          isAmount={micros !== undefined}
          onChange={setLimit}
        />
        <Field label="When it is spent">
          {(props) => (
            <select
              {...props}
              className="input"
              value={stop}
              onChange={(event) => setStop(event.target.value as keyof typeof stops)}
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
          <Button kind="primary" type="submit">
            Set it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
