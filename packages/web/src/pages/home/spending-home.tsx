import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { RangeBar } from "../../chart/range-bar.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { gpuHoursOf, spellNumber } from "../../format/numbers.ts";
import { isWithin, useAccount } from "../../frame/account.ts";
import { NearBudgets } from "./near-budgets.tsx";

const MoneyCharts = onDemand(() => import("../cost/money-charts.tsx"));

const shownMax = 8;

/** What was spent and will be, which budgets end, and what is invoiced and not paid; without prices, GPU-hours. */
export default function SpendingHome() {
  const account = useAccount();
  const of = account === "" ? {} : { account };
  const costs = useCall(
    "readCosts",
    { query: { by: "account", from: "30d", compare: true, ...of } },
    { everyMs: 60_000 },
  );
  const billing = useCall("listBilling", { query: of }, { on: costs.data !== undefined, everyMs: 60_000 }).data?.items;
  const usage = useCall("readUsage", { query: { by: "account", from: "7d", ...of } }, { everyMs: 60_000 }).data;
  if (usage === undefined || (costs.data === undefined && !costs.isError)) {
    return (
      <div className="page">
        <h1>Spending</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  const { data } = costs;
  const unpaid = (billing ?? []).filter(({ owedMicros }) => BigInt(owedMicros) > 0n);
  return (
    <div className="page">
      <div className="head">
        <h1>Spending</h1>
      </div>
      <div className="grid">
        {data === undefined ? (
          <div className="span-6">
            <Figure label="Spent" value="–" beside="there are no prices yet: Settings has the price book" />
          </div>
        ) : (
          <>
            <div className="span-3">
              <Figure
                label="Spent in 30 days"
                value={spellMoney(data.totalMicros, data.currency)}
                beside={data.beforeMicros && `${spellMoney(data.beforeMicros, data.currency)} in the 30 days before`}
              />
            </div>
            <div className="span-3">
              <Figure
                label="At the end of the month"
                value={data.forecastMicros === undefined ? "–" : spellMoney(data.forecastMicros, data.currency)}
                beside="if everything goes on as now"
              />
            </div>
            <div className="span-3">
              <Figure
                label="Invoiced, not paid"
                value={spellMoney(
                  String(unpaid.reduce((sum, each) => sum + BigInt(each.owedMicros), 0n)),
                  data.currency,
                )}
                beside={`by ${unpaid.length === 1 ? "1 tenant" : `${unpaid.length} tenants`}`}
              />
            </div>
          </>
        )}
        <div className="span-3">
          <Figure
            label="Used in 7 days"
            value={spellNumber(gpuHoursOf(usage.total))}
            unit="GPU-hours"
            beside={`by ${usage.rows.length === 1 ? "1 account" : `${usage.rows.length} accounts`}`}
          />
        </div>
      </div>
      <div className="grid">
        <Card title="Not paid" className="span-6" beside={<Link href="/cost/invoices">Invoices</Link>}>
          {unpaid.length === 0 ? (
            <p className="quiet">Every invoice is paid.</p>
          ) : (
            <ul className="list">
              {unpaid.slice(0, shownMax).map(({ tenant, owedMicros, currency, stopped }) => (
                <li key={tenant}>
                  <Link href="/cost/invoices" className="cut" style={{ flex: 1 }}>
                    {tenant}
                  </Link>
                  {stopped && <span className="chip">credit used up</span>}
                  <span className="nowrap">{spellMoney(owedMicros, currency)}</span>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <NearBudgets isShown={(path) => isWithin(path, account)} />
      </div>
      {data === undefined ? (
        <UsedBy rows={usage.rows} />
      ) : (
        <>
          <OrElse instead={null}>
            <RangeBar usual="30d" />
            <MoneyCharts
              by="account"
              usual="30d"
              account={account}
              currency={data.currency}
              forecastMicros={data.forecastMicros}
            />
          </OrElse>
          <SpentBy rows={data.rows} currency={data.currency} />
        </>
      )}
    </div>
  );
}

function SpentBy({ rows, currency }: { rows: readonly { key: string; micros: string }[]; currency: string }) {
  const most = [...rows].sort((a, b) => (BigInt(b.micros) > BigInt(a.micros) ? 1 : -1)).slice(0, shownMax);
  return (
    <Card title="Spent most in 30 days" beside={<Link href="/cost/money">Money</Link>}>
      <Rows rows={most.map(({ key, micros }) => ({ key, value: spellMoney(micros, currency) }))} />
    </Card>
  );
}

function UsedBy({ rows }: { rows: readonly { key: string; unitMs: string }[] }) {
  const most = [...rows].sort((a, b) => gpuHoursOf(b.unitMs) - gpuHoursOf(a.unitMs)).slice(0, shownMax);
  return (
    <Card title="Used most in 7 days" beside={<Link href="/cost">Cost explorer</Link>}>
      <Rows rows={most.map(({ key, unitMs }) => ({ key, value: `${spellNumber(gpuHoursOf(unitMs))} GPU-h` }))} />
    </Card>
  );
}

function Rows({ rows }: { rows: readonly { key: string; value: string }[] }) {
  if (rows.length === 0) return <Empty title="No usage in these days" />;
  return (
    <ul className="list">
      {rows.map(({ key, value }) => (
        <li key={key}>
          <Link href={`/cost?account=${encodeURIComponent(key)}`} className="cut" style={{ flex: 1 }}>
            {key}
          </Link>
          <span className="nowrap">{value}</span>
        </li>
      ))}
    </ul>
  );
}
