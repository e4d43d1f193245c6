import type { CostReport } from "@tessera/wire";
import { useMemo, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { lengthOf, queryOf, rangeWords, useRange, wholeDays } from "../../chart/range.ts";
import { RangeBar } from "../../chart/range-bar.tsx";
import { Choice } from "../../design/choice.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Button, Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { shareOf, spellMoney } from "../../format/money.ts";
import { count, spellNumber, spellShare } from "../../format/numbers.ts";
import { spellMonth } from "../../format/times.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { toast } from "../../frame/toasts.tsx";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { NotRead } from "../../table/paged.tsx";
import { Table } from "../../table/table.tsx";
import { Views } from "../../table/views.tsx";
import { costRows, keyText } from "./cost-rows.ts";
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
  const query = { by, ...span, compare: true, ...(account !== "" && { account }) };
  const { data, error, isFetching, refetch } = useCall(
    "readCosts",
    // Days are all listed: there are few.
    { query: { ...query, ...(by !== "day" && { limit: listedMax }) } },
    { everyMs: 30_000 },
  );
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      saveCsv(`tessera-costs-by-${by}.csv`, costRows(await call("readCosts", { query })));
    } catch (cause) {
      toast("bad", wordsOf(cause));
    }
    setSaving(false);
  };
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
          <Button onClick={() => void save()} disabled={data === undefined || data.rows.length === 0 || isSaving}>
            Download CSV
          </Button>
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
              spentMicros={data.month?.spentMicros}
            />
          </OrElse>
          <SpentBy report={data} />
        </>
      )}
    </div>
  );
}

function dearestFirst({ rows }: CostReport): CostReport["rows"] {
  return rows.toSorted((a, b) => (BigInt(b.micros) > BigInt(a.micros) ? 1 : -1));
}

function Figures({ report, length }: { report: CostReport; length: string }) {
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

function SpentBy({ report }: { report: CostReport }) {
  const may = useMay();
  const columns = useMemo(() => columnsOf(report), [report]);
  // Days are read in their order.
  const { look } = useLook(columns, { usualSort: report.by === "day" ? "-day" : "-Spent" });
  const foot = report.rest && [
    [
      <span key="rest" className="quiet">
        {count(report.rest.rows, "other")}; the CSV file has all
      </span>,
      ...columns.slice(2).map(() => ""),
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

type Row = CostReport["rows"][number];

function columnsOf({ by, currency, totalMicros }: CostReport): readonly Column<Row>[] {
  const before: Column<Row> = {
    label: "Before",
    number: true,
    show: ({ beforeMicros = "0" }) => <span className="quiet">{spellMoney(beforeMicros, currency)}</span>,
    by: ({ beforeMicros = "0" }) => BigInt(beforeMicros),
  };
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
    ...(by === "day" ? [] : [before]),
    {
      label: "Spent",
      number: true,
      show: ({ micros }) => spellMoney(micros, currency),
      by: ({ micros }) => BigInt(micros),
    },
  ];
}
