import type { AnswerOf, CostReport } from "@tessera/wire";
import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { type RangeName, timeOf } from "../../chart/range.ts";
import { RangeBar } from "../../chart/range-bar.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { count, gpuHoursOf, spellNumber } from "../../format/numbers.ts";
import { spellMonth } from "../../format/times.ts";
import { isWithin, useAccount } from "../../frame/account.ts";
import type { Column } from "../../table/column.ts";
import { Table } from "../../table/table.tsx";
import { NearBudgets } from "./near-budgets.tsx";

const MoneyCharts = onDemand(() => import("../cost/money-charts.tsx"));

const shownMax = 8;

/** What the month has cost and will, which budgets end, and what is invoiced and not paid; without prices, GPU-hours. */
export default function SpendingHome() {
  const account = useAccount();
  const of = account === "" ? {} : { account };
  // Of the same whole days as the figures on Cost and Money.
  const time = (name: RangeName) => timeOf({ name }, Date.now());
  const costs = useCall(
    "readCosts",
    { query: { by: "account", ...time("30d"), compare: true, ...of } },
    { everyMs: 60_000 },
  );
  const billing = useCall("listBilling", { query: of }, { everyMs: 60_000 });
  const usage = useCall("readUsage", { query: { by: "account", ...time("7d"), ...of } }, { everyMs: 60_000 });
  const failed = [costs, usage].find(({ error, data }) => error !== null && data === undefined);
  const { data } = costs;
  if (failed !== undefined || data === undefined || usage.data === undefined)
    return (
      <div className="page">
        <h1>Spending</h1>
        {failed === undefined ? <Skeleton lines={8} /> : <Empty title="Not available">{wordsOf(failed.error)}</Empty>}
      </div>
    );
  const unpaid = unpaidOf(billing.data?.items);
  return (
    <div className="page">
      <div className="head">
        <h1>Spending</h1>
      </div>
      <div className="grid">
        <Month report={data} />
        <div className="span-3">
          <Figure
            label="Invoiced, not paid"
            value={unpaid === undefined ? "–" : spellMoney(owedBy(unpaid), data.currency)}
            beside={unpaid === undefined ? "" : `by ${count(unpaid.length, "tenant")}`}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Used in 7 days"
            value={spellNumber(gpuHoursOf(usage.data.total))}
            unit="GPU-hours"
            beside={`by ${count(usage.data.rows.length, "account")}`}
          />
        </div>
      </div>
      <div className="grid">
        <Card title="Not paid" className="span-6" beside={<Link href="/cost/invoices">Invoices</Link>}>
          {billing.error !== null && unpaid === undefined ? (
            <p className="quiet">{wordsOf(billing.error)}</p>
          ) : (
            <Unpaid of={unpaid} />
          )}
        </Card>
        <NearBudgets isShown={(path) => isWithin(path, account)} />
      </div>
      {data.month === undefined ? (
        <UsedBy rows={usage.data.rows} />
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
              spentMicros={data.month.spentMicros}
            />
          </OrElse>
          <SpentBy rows={data.rows} currency={data.currency} />
        </>
      )}
    </div>
  );
}

/** The month so far and at its end, both beside the month before. */
function Month({ report: { month, forecastMicros, currency } }: { report: CostReport }) {
  if (month === undefined)
    return (
      <div className="span-6">
        <Figure label="Spent" value="–" beside="there are no prices yet: Settings has the price book" />
      </div>
    );
  const { period, spentMicros, before } = month;
  const last = before && `${spellMoney(before.micros, currency)} in all of ${spellMonth(before.period)}`;
  return (
    <>
      <div className="span-3">
        <Figure label={`Spent in ${spellMonth(period)}`} value={spellMoney(spentMicros, currency)} beside={last} />
      </div>
      <div className="span-3">
        <Figure
          label={`${spellMonth(period)}, at its end`}
          value={forecastMicros === undefined ? "–" : spellMoney(forecastMicros, currency)}
          beside={`at the current rate${last === undefined ? "" : `; ${last}`}`}
        />
      </div>
    </>
  );
}

type Billing = AnswerOf<"listBilling">["items"];

function unpaidOf(billing: Billing | undefined): Billing | undefined {
  return billing?.filter(({ owedMicros }) => BigInt(owedMicros) > 0n);
}

function owedBy(unpaid: Billing): string {
  return String(unpaid.reduce((sum, each) => sum + BigInt(each.owedMicros), 0n));
}

function Unpaid({ of }: { of: Billing | undefined }) {
  if (of === undefined) return <Skeleton />;
  if (of.length === 0) return <p className="quiet">Nothing is owed.</p>;
  return (
    <ul className="list">
      {of.slice(0, shownMax).map(({ tenant, owedMicros, currency, stopped }) => (
        <li key={tenant}>
          <Link href="/cost/invoices" className="cut" style={{ flex: 1 }}>
            {tenant}
          </Link>
          {stopped && <span className="chip">credit used up</span>}
          <span className="nowrap">{spellMoney(owedMicros, currency)}</span>
        </li>
      ))}
    </ul>
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
