import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { gpuHoursOf, spellNumber } from "../../format/numbers.ts";
import { isWithin, useAccount } from "../../frame/account.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
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
            <MoneyCharts by="account" from="30d" account={account} forecastMicros={data.forecastMicros} />
          </OrElse>
          <SpentBy rows={data.rows} currency={data.currency} />
        </>
      )}
    </div>
  );
}

interface Part {
  readonly key: string;
  readonly value: bigint;
}

const keyOf = ({ key }: Part) => key;

/** The accounts with most of something, the largest first. */
function Most({ label, parts, spell }: { label: string; parts: readonly Part[]; spell: (value: bigint) => string }) {
  const columns: readonly Column<Part>[] = [
    { label: "Account", show: ({ key }) => key },
    { label, number: true, nowrap: true, show: ({ value }) => spell(value) },
  ];
  const most = parts.toSorted((a, b) => (b.value > a.value ? 1 : -1)).slice(0, shownMax);
  if (most.length === 0) return <Empty title="No usage in these days" />;
  const hrefOf = ({ key }: Part) => `/cost?account=${encodeURIComponent(key)}`;
  return <Table label={`${label} most`} items={most} columns={columns} keyOf={keyOf} hrefOf={hrefOf} />;
}

function SpentBy({ rows, currency }: { rows: readonly { key: string; micros: string }[]; currency: string }) {
  const parts = rows.map(({ key, micros }) => ({ key, value: BigInt(micros) }));
  return (
    <Card flush title="Spent most in 30 days" beside={<Link href="/cost/money">Money</Link>}>
      <Most label="Spent" parts={parts} spell={(value) => spellMoney(String(value), currency)} />
    </Card>
  );
}

function UsedBy({ rows }: { rows: readonly { key: string; unitMs: string }[] }) {
  const parts = rows.map(({ key, unitMs }) => ({ key, value: BigInt(unitMs) }));
  return (
    <Card flush title="Used most in 7 days" beside={<Link href="/cost">Cost explorer</Link>}>
      <Most label="Used" parts={parts} spell={(value) => `${spellNumber(gpuHoursOf(String(value)))} GPU-h`} />
    </Card>
  );
}
