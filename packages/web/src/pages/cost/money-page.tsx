import { wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { lengthOf, queryOf, rangeWords, useRange, wholeDays } from "../../chart/range.ts";
import { RangeBar } from "../../chart/range-bar.tsx";
import { Choice } from "../../design/choice.tsx";
import { MayLink } from "../../design/may-link.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { shareOf, spellMoney } from "../../format/money.ts";
import { count, spellNumber, spellShare } from "../../format/numbers.ts";
import { spellMonth } from "../../format/times.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { CostTabs } from "./cost-tabs.tsx";

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
  const { data, error } = useCall(
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
          <Choice of={groups} chosen={by} word={(each) => `by ${each}`} onChoose={(each) => set({ by: each })} />
        </div>
      </div>
      <CostTabs here="money" />
      <RangeBar usual={usual} />
      {error !== null && data === undefined ? (
        <Empty title="Not available">{wordsOf(error)}</Empty>
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
  const { currency, totalMicros } = report;
  const rows = dearestFirst(report);
  // Days are read in their order.
  const listed = report.by === "day" ? report.rows.toSorted((a, b) => (a.key < b.key ? 1 : -1)) : rows;
  return (
    <Card flush title={`By ${report.by}`}>
      {rows.length === 0 ? (
        <Empty title="Nothing was spent in this period" />
      ) : (
        <div className="table-box">
          <table className="table">
            <thead>
              <tr>
                <th>{report.by}</th>
                <th>Share</th>
                <th className="number">GPU-hours</th>
                <th className="number">Before</th>
                <th className="number">Spent</th>
              </tr>
            </thead>
            <tbody>
              {listed.map(({ key, name, micros, beforeMicros: before, gpuHours }) => (
                <tr key={key}>
                  <td>
                    {name === undefined ? (
                      keyText(report.by, key)
                    ) : (
                      <MayLink needs="job.read" href={`/jobs/${key}`} title={key}>
                        {name}
                      </MayLink>
                    )}
                  </td>
                  <td style={{ width: "35%" }}>
                    <div className="row">
                      <div className="bar" style={{ flex: 1 }}>
                        <div
                          className="part used"
                          style={{ left: 0, width: `${100 * Math.max(0, shareOf(micros, totalMicros))}%` }}
                        />
                      </div>
                      <span className="small quiet">{spellShare(shareOf(micros, totalMicros), 1)}</span>
                    </div>
                  </td>
                  <td className="number">{spellNumber(Number(gpuHours))}</td>
                  <td className="number quiet">{before === undefined ? "" : spellMoney(before, currency)}</td>
                  <td className="number">{spellMoney(micros, currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {report.rest !== undefined && (
            <p className="quiet small" style={{ padding: "8px 16px" }}>
              {count(report.rest.rows, "other")} came to {spellMoney(report.rest.micros, currency)} together;{" "}
              <code>tess cost --by {report.by} -o csv</code> has all.
            </p>
          )}
        </div>
      )}
    </Card>
  );
}
