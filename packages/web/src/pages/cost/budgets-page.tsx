import type { BudgetShape } from "@tessera/wire";
import { useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { shareOf, spellMoney } from "../../format/money.ts";
import { spellShare } from "../../format/numbers.ts";
import { useOpen } from "../../frame/open.ts";
import { CostTabs } from "./cost-tabs.tsx";
import { SetBudget } from "./set-budget.tsx";
import { stops } from "./stops.ts";

/** The budget of each account, the amount spent, and what happens when it is spent. */
export default function BudgetsPage() {
  const may = useMay();
  /** The account whose budget is set; empty: one is chosen in the dialog. */
  const [setting, open] = useOpen("budget");
  const { data } = useCall("listBudgets", {}, { everyMs: 15_000 });
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        {may("budget.write") && (
          <Button kind="primary" data-act="setBudget" disabled={data === undefined} onClick={() => open("")}>
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
            <Budget key={budget.account} budget={budget} onEdit={() => open(budget.account)} />
          ))}
        </div>
      )}
      {setting !== undefined && data !== undefined && may("budget.write") && (
        <SetBudget budgets={data.items} {...(setting !== "" && { account: setting })} onClose={() => open(undefined)} />
      )}
    </div>
  );
}

function Budget({ budget, onEdit }: { budget: BudgetShape; onEdit: () => void }) {
  const [asking, setAsking] = useState(false);
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
          {mayDo("setBudget", budget) && (
            <Button small data-act="setBudget" onClick={onEdit}>
              Change
            </Button>
          )}
          {mayDo("dropBudget", budget) && (
            <Button small data-act="dropBudget" onClick={() => setAsking(true)}>
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
      {asking && (
        <Confirm
          title={`Delete the budget of ${account}?`}
          act="Delete the budget"
          busy={drop.isPending}
          onAct={() => drop.mutate({ at: { account } }, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>
            Nothing limits what {account} spends any more, and no alert is sent.
            {stopped !== "none" && " Its jobs, which the budget stops now, may start again."}
          </p>
        </Confirm>
      )}
    </Card>
  );
}
