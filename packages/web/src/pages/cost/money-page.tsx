import { lazy, Suspense } from "react";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { Choice } from "../../design/choice.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { shareOf, spellMoney } from "../../format/money.ts";
import { spellShare } from "../../format/numbers.ts";
import { useAddress } from "../../frame/address.ts";
import { CostTabs } from "./cost-tabs.tsx";

const MoneyCharts = lazy(() => import("./money-charts.tsx"));

const groups = ["account", "user", "job", "model", "class", "day"] as const;
const ranges = ["7d", "30d", "90d"] as const;

/** Money spent, by account, user or model, beside the period before; group, range and account are in the address. */
export default function MoneyPage() {
  const [params, set] = useAddress();
  const by = groups.find((each) => each === params.get("by")) ?? "account";
  const from = ranges.find((each) => each === params.get("from")) ?? "30d";
  const { data, isError } = useCall("readCosts", { query: { by, from, compare: true } }, { everyMs: 30_000 });
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        <div className="row wrap">
          <Choice of={groups} chosen={by} word={(each) => `by ${each}`} onChoose={(each) => set({ by: each })} />
          <Choice
            of={ranges}
            chosen={from}
            word={(each) => each.replace("d", " days")}
            onChoose={(each) => set({ from: each })}
          />
        </div>
      </div>
      <CostTabs here="money" />
      {isError ? (
        <Empty title="There are no prices yet" command="npx tess price --help" />
      ) : data === undefined ? (
        <Skeleton lines={6} />
      ) : (
        <Spent report={data} />
      )}
      {data !== undefined && (
        <OrElse instead={null}>
          <Suspense fallback={<Skeleton lines={6} />}>
            <MoneyCharts from={from} />
          </Suspense>
        </OrElse>
      )}
    </div>
  );
}

type Report = NonNullable<ReturnType<typeof useCall<"readCosts">>["data"]>;

function Spent({ report }: { report: Report }) {
  const { currency, totalMicros, beforeMicros, forecastMicros } = report;
  const rows = [...report.rows].sort((a, b) => (BigInt(b.micros) > BigInt(a.micros) ? 1 : -1));
  return (
    <>
      <div className="grid">
        <div className="span-4">
          <Figure
            label="Spent"
            value={spellMoney(totalMicros, currency)}
            beside={beforeMicros === undefined ? "" : `${spellMoney(beforeMicros, currency)} in the same time before`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="At the end of the month"
            value={forecastMicros === undefined ? "–" : spellMoney(forecastMicros, currency)}
            beside="if everything goes on as now"
          />
        </div>
        <div className="span-4">
          <Figure
            label="Most"
            value={rows[0] === undefined ? "nobody" : rows[0].key}
            beside={rows[0] === undefined ? "" : spellMoney(rows[0].micros, currency)}
          />
        </div>
      </div>
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
                {rows.slice(0, 200).map(({ key, micros, beforeMicros: before, gpuHours }) => (
                  <tr key={key}>
                    <td>{key}</td>
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
                    <td className="number">{gpuHours}</td>
                    <td className="number quiet">{before === undefined ? "" : spellMoney(before, currency)}</td>
                    <td className="number">{spellMoney(micros, currency)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </>
  );
}
