import { useMemo } from "react";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { lengthOf, queryOf, rangeWords, useRange, wholeDays } from "../../chart/range.ts";
import { RangeBar } from "../../chart/range-bar.tsx";
import { Choice } from "../../design/choice.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { shareOf, spellMoney } from "../../format/money.ts";
import { count, spellNumber, spellShare } from "../../format/numbers.ts";
import { spellMonth } from "../../format/times.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { NotRead } from "../../table/paged.tsx";
import { Table } from "../../table/table.tsx";
import { Views } from "../../table/views.tsx";
import { CostTabs } from "./cost-tabs.tsx";
import { pageOf } from "./page-of.ts";

const MoneyCharts = onDemand(() => import("./money-charts.tsx"));

const groups = ["account", "user", "job", "model", "class", "day"] as const;
const usual = "30d";
const day = 86_400_000;
/** Rows of the table. */
const listedMax = 200;

/** Money spent, by account, user or model, beside the period before; group, range and account are in the address. */
export default function MoneyPage() {
  const [params, set] = useAddress();
  const account = useAccount();
  const by = groups.find((each) => each === params.get("by")) ?? "account";
  const { range } = useRange(usual);
  // Money is known by calendar days: the table is of the days of the chart. Parts of a day are rated as they are.
  const asked = lengthOf(range) < day ? range : wholeDays(range, Date.now());
  const { from, to } = queryOf(asked);
  const span = { from, ...(to !== undefined && Date.parse(to) < Date.now() && { to }) };
  const { data, error, isFetching, refetch } = useCall(
    "readCosts",
    // Days are all listed: there are few.
    {
      query: {
        by,
        ...span,
        compare: true,
        ...(by !== "day" && { limit: listedMax }),
        ...(account !== "" && { account }),
      },
    },
    { everyMs: 30_000 },
  );
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        <div className="row wrap">
          <Choice
            of={groups}
            chosen={by}
            word={(each) => `by ${each}`}
            onChoose={(each) => set({ by: each }, { push: true })}
          />
        </div>
      </div>
      <CostTabs here="money" />
      <RangeBar usual={usual} />
      <Views filters={["by", "range", "compare"]} />
      {error !== null && data === undefined ? (
        <NotRead error={error} busy={isFetching} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <>
          <Figures report={data} length={rangeWords(range)} />
          <OrElse instead={null}>
            <MoneyCharts
              by={by}
              usual={usual}
              account={account}
              currency={data.currency}
              forecastMicros={data.forecastMicros}
            />
          </OrElse>
          <SpentBy report={data} />
        </>
      )}
    </div>
  );
}

/** Credits for lost work and shares of idle GPUs are tied to no day and no model. */
function keyText(by: string, key: string): string {
  if (key !== "") return key;
  return by === "day" ? "not tied to a day" : by === "account" ? "the platform itself" : "no GPU";
}

type Report = NonNullable<ReturnType<typeof useCall<"readCosts">>["data"]>;

function dearestFirst({ rows }: Report): Report["rows"] {
  return rows.toSorted((a, b) => (BigInt(b.micros) > BigInt(a.micros) ? 1 : -1));
}

function Figures({ report, length }: { report: Report; length: string }) {
  const { currency, totalMicros, beforeMicros, forecastMicros, month } = report;
  const rows = dearestFirst(report);
  return (
    <div className="grid">
      <div className="span-4">
        <Figure
          label={`Spent in ${length}`}
          value={spellMoney(totalMicros, currency)}
          beside={beforeMicros === undefined ? "" : `${spellMoney(beforeMicros, currency)} in the ${length} before`}
        />
      </div>
      <div className="span-4">
        <Figure
          label={month === undefined ? "The month, at its end" : `${spellMonth(month.period)}, at its end`}
          value={forecastMicros === undefined ? "–" : spellMoney(forecastMicros, currency)}
          beside={month === undefined ? "" : `${spellMoney(month.spentMicros, currency)} so far; at the current rate`}
        />
      </div>
      <div className="span-4">
        <Figure
          label="Most"
          value={rows[0] === undefined ? "none" : (rows[0].name ?? keyText(report.by, rows[0].key))}
          beside={rows[0] === undefined ? "" : spellMoney(rows[0].micros, currency)}
        />
      </div>
    </div>
  );
}

function SpentBy({ report }: { report: Report }) {
  const may = useMay();
  const columns = useMemo(() => columnsOf(report), [report]);
  // Days are read in their order.
  const { look } = useLook(columns, { usualSort: report.by === "day" ? "-day" : "-Spent" });
  const foot = report.rest && [
    [
      <span key="rest" className="quiet">
        {count(report.rest.rows, "other")}; <code>tess cost --by {report.by} -o csv</code> has all
      </span>,
      "",
      "",
      "",
      spellMoney(report.rest.micros, report.currency),
    ],
  ];
  return (
    <Card flush title={`By ${report.by}`}>
      {report.rows.length === 0 ? (
        <Empty title="Nothing was spent in this period" />
      ) : (
        <Table
          label={`By ${report.by}`}
          items={report.rows}
          columns={columns}
          look={look}
          keyOf={({ key }) => key}
          hrefOf={({ key }) => pageOf(report.by, key, may)}
          {...(foot && { foot })}
        />
      )}
    </Card>
  );
}

type Row = Report["rows"][number];

function columnsOf({ by, currency, totalMicros }: Report): readonly Column<Row>[] {
  return [
    {
      label: by,
      show: ({ key, name }) => (name === undefined ? keyText(by, key) : <span title={key}>{name}</span>),
      by: ({ key, name }) => name ?? key,
    },
    {
      label: "Share",
      percent: 35,
      show: ({ micros }) => (
        <div className="row">
          <div className="bar" style={{ flex: 1 }}>
            <div
              className="part used"
              style={{ left: 0, width: `${100 * Math.max(0, shareOf(micros, totalMicros))}%` }}
            />
          </div>
          <span className="small quiet">{spellShare(shareOf(micros, totalMicros), 1)}</span>
        </div>
      ),
    },
    {
      label: "GPU-hours",
      number: true,
      show: ({ gpuHours }) => spellNumber(Number(gpuHours)),
      by: ({ gpuHours }) => Number(gpuHours),
    },
    {
      label: "Before",
      number: true,
      show: ({ beforeMicros: before }) => (
        <span className="quiet">{before === undefined ? "" : spellMoney(before, currency)}</span>
      ),
      by: ({ beforeMicros = "0" }) => BigInt(beforeMicros),
    },
    {
      label: "Spent",
      number: true,
      show: ({ micros }) => spellMoney(micros, currency),
      by: ({ micros }) => BigInt(micros),
    },
  ];
}
