import type { BudgetShape } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { ChartCard } from "../../chart/chart.tsx";
import { moneyAgainst, moneyPerDay } from "./money-view.ts";

/** Twice the time, so that the period before is there too. */
const asked = { "7d": "14d", "30d": "60d", "90d": "180d" } as const;
const budgetsShown = 2;

/** Money of each day beside the period before, and how it comes together against budgets. */
export default function MoneyCharts({ from }: { from: keyof typeof asked }) {
  const { data } = useCall("readCosts", { query: { by: "day", from: asked[from] } });
  const budgets = useCall("listBudgets").data?.items ?? [];
  if (data === undefined) return null;
  return (
    <div className="grid">
      <ChartCard
        title="Money per day"
        kind="bars"
        className={budgets.length === 0 ? "span-12" : "span-6"}
        view={moneyPerDay(data.rows, data.currency, Number.parseInt(from, 10), Date.now())}
      />
      {budgets.slice(0, budgetsShown).map((budget) => (
        <AgainstBudget key={budget.account} budget={budget} />
      ))}
    </div>
  );
}

function AgainstBudget({ budget }: { budget: BudgetShape }) {
  const { account, from } = budget;
  const { data } = useCall("readCosts", { query: { by: "day", from, account } });
  const view = data && moneyAgainst(data.rows, budget, Date.now());
  return <ChartCard title={`${account} against its budget`} view={view} />;
}
