import type { BudgetShape } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { ChartCard, RangeChart } from "../../chart/chart.tsx";
import type { RangeName } from "../../chart/range.ts";
import { isWithin } from "../../frame/account.ts";
import { budgeted, dayBand, type MoneyTime, moneyAgainst, monthOf } from "./money-view.ts";

const budgetsShown = 2;
const everyMs = 60_000;

/** Money by job or user is not known by day: it is drawn as one line. */
const stacked = ["account", "model", "class"] as const;

interface MoneyChartsProps {
  readonly by: string;
  /** The range while the address names none. */
  readonly usual: RangeName;
  /** What the page is narrowed to; empty = everything. */
  readonly account: string;
  readonly currency: string;
  /** The cost of the month at the present rate, and so far; absent where a time before now is shown. */
  readonly forecastMicros: string | undefined;
  readonly spentMicros: string | undefined;
}

/** Money by day, and the sum of the month against budgets. */
export default function MoneyCharts({ by, usual, account, currency, forecastMicros, spentMicros }: MoneyChartsProps) {
  const group = stacked.find((each) => each === by) ?? "none";
  const of = account === "" ? {} : { account };
  const all = useCall("listBudgets").data?.items ?? [];
  const budgets = all.filter((budget) => isWithin(budget.account, account)).sort((a, b) => usedShare(b) - usedShare(a));
  const figures = { ...(forecastMicros && { forecastMicros }), ...(spentMicros && { spentMicros }) };
  const month = { ...monthOf(Date.now()), currency, ...figures };
  return (
    <div className="grid">
      <RangeChart
        title={group === "none" ? "Money per day" : `Money per day, by ${group}`}
        about="Credits lie below zero. Those for lost work, and shares of idle GPUs, are of no day: they are in the table."
        kind="bars"
        ofDays
        className="span-12"
        usual={usual}
        asks={[{ metric: "spend", by: group, name: "spent", ...of }]}
      />
      <Together
        title={account === "" ? "This month, all that you see" : `This month, ${account}`}
        time={month}
        account={account}
        className={budgets.length === 1 ? "span-6" : "span-12"}
      />
      {budgets.slice(0, budgetsShown).map((budget) => (
        <AgainstBudget key={budget.account} budget={budget} />
      ))}
      {budgets.length > budgetsShown && (
        <p className="quiet small span-12">
          The {budgetsShown} budgets that are nearest to their limit, of {budgets.length}; choose an account to see its
          own.
        </p>
      )}
    </div>
  );
}

function usedShare({ spentMicros, limitMicros }: BudgetShape): number {
  return Number(spentMicros) / Math.max(1, Number(limitMicros));
}

function AgainstBudget({ budget }: { budget: BudgetShape }) {
  const { account } = budget;
  return (
    <Together
      title={`${account} against its budget`}
      time={budget}
      account={account}
      about={beforeCredits}
      isBudgeted
    />
  );
}

const beforeCredits = "Before credits for lending, as the budget counts. ";

/** The running sum of money over a time, with a forecast band. */
function Together(props: {
  title: string;
  time: MoneyTime;
  account?: string;
  className?: string;
  /** Said first. */
  about?: string;
  /** Without what a budget does not count. */
  isBudgeted?: boolean;
}) {
  const { title, time, account, className = "span-6", about = "", isBudgeted = false } = props;
  const since = Math.min(Date.parse(time.from), Math.floor(Date.now() / bandMs) * bandMs - bandDays * bandMs);
  const by = isBudgeted ? "class" : "none";
  const query = { metric: "spend", by, from: new Date(since).toISOString(), ...(account && { account }) } as const;
  const { data, error } = useCall("readSeries", { query }, { everyMs });
  const spend = data && (isBudgeted ? budgeted(data) : data);
  const band = spend && dayBand(spend, Date.now());
  const ofBand =
    band === undefined
      ? "Fewer than five whole days are known: too few for a band."
      : `The band: each day to come costs as little as the cheapest tenth of the last ${band.days} days, or as much as the dearest.`;
  return (
    <ChartCard
      title={title}
      about={`${about}What is of no day is added today. ${ofBand}`}
      className={className}
      view={spend && moneyAgainst(spend, time, Date.now())}
      error={error}
    />
  );
}

const bandMs = 86_400_000;
const bandDays = 28;
