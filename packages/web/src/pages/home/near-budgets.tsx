import { Link } from "wouter";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Card, Skeleton, Time } from "../../design/parts.tsx";
import { shareOf, spellMoney } from "../../format/money.ts";
import { spellShare } from "../../format/numbers.ts";

/** From this part of a limit on, a budget is worth a look. */
const nearShare = 0.8;
const shownMax = 8;

/** Budgets that are spent to the most part, or will be; the fullest first. */
export function NearBudgets({ isShown = () => true }: { isShown?: (account: string) => boolean }) {
  const may = useMay();
  const items = useCall("listBudgets", {}, { on: may("budget.read"), everyMs: 30_000 }).data?.items;
  const near = (items ?? [])
    .filter(({ account }) => isShown(account))
    .map((budget) => ({ budget, ...partsOf(budget) }))
    .filter(({ spent, forecast }) => spent >= nearShare || forecast > 1)
    .sort((a, b) => b.spent - a.spent);
  return (
    <Card title="Budgets near their limit" className="span-6" beside={<Link href="/cost/budgets">Budgets</Link>}>
      {items === undefined ? (
        <Skeleton />
      ) : near.length === 0 ? (
        <p className="quiet">{items.length === 0 ? "No budget is set." : "None: all are spent to less than 80 %."}</p>
      ) : (
        <ul className="list">
          {near.slice(0, shownMax).map(({ budget, spent, forecast }) => (
            <li key={budget.account} className="row wrap">
              <Link href="/cost/budgets" className="cut" style={{ flex: 1 }}>
                {budget.account}
              </Link>
              <span className="nowrap small">
                {spellShare(spent, 1)} of {spellMoney(budget.limitMicros, budget.currency)}
              </span>
              {budget.spentAt !== undefined && spent < 1 && (
                <span className="quiet small">
                  used up <Time at={budget.spentAt} />
                </span>
              )}
              <Chip tone={spent >= 1 ? "down" : "burst"} shape={spent >= 1 ? "cross" : "square"}>
                {spent >= 1 ? "spent" : forecast > 1 ? "will be spent" : "nearly spent"}
              </Chip>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function partsOf(budget: { spentMicros: string; forecastMicros: string; limitMicros: string }) {
  const { spentMicros, forecastMicros, limitMicros } = budget;
  return { spent: shareOf(spentMicros, limitMicros), forecast: shareOf(forecastMicros, limitMicros) };
}
