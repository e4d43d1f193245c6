import { useQueries } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { ChartCard } from "../../chart/chart.tsx";
import { OrElse } from "../../chart/fallback.tsx";
import { Choice } from "../../design/choice.tsx";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { CostTabs } from "./cost-tabs.tsx";
import { hoursPerDay, lastDays } from "./days.ts";

const groups = ["account", "user", "job", "node"] as const;
const ranges = [7, 14, 30] as const;
const stackedMax = 6;

/** GPU time by account, user or model, day by day; group, range and account are in the address. */
export default function CostPage() {
  const [params, set] = useAddress();
  const by = groups.find((each) => each === params.get("by")) ?? "account";
  const days = ranges.find((each) => String(each) === params.get("days")) ?? 7;
  const account = useAccount();
  const spans = lastDays(days, Math.floor(Date.now() / 60_000) * 60_000);
  const query = { by, ...(account !== "" && { account }) };
  const reports = useQueries({
    queries: spans.map(({ from, to }) => ({
      queryKey: ["usage", by, account, from, to],
      queryFn: () => call("readUsage", { query: { ...query, from, to } }),
      staleTime: 60_000,
    })),
  });
  const whole = useCall("readUsage", { query: { ...query, from: spans[0]!.from } }, { everyMs: 30_000 });
  const before = useCall("readUsage", {
    query: {
      ...query,
      from: new Date(Date.parse(spans[0]!.from) - days * 86_400_000).toISOString(),
      to: spans[0]!.from,
    },
  });
  const perDay = reports.map(
    ({ data }) => new Map((data?.rows ?? []).map(({ key, unitMs }) => [key, gpuHoursOf(unitMs)])),
  );
  const rows = [...(whole.data?.rows ?? [])]
    .map((row) => ({ ...row, hours: gpuHoursOf(row.unitMs) }))
    .sort((a, b) => b.hours - a.hours);
  const total = whole.data === undefined ? 0 : gpuHoursOf(whole.data.total);
  const last = before.data === undefined ? undefined : gpuHoursOf(before.data.total);
  const fleet = whole.data?.fleet;
  const save = () =>
    saveCsv(
      `tessera-usage-by-${by}.csv`,
      rows.map(({ key, unitMs, gpuHours }) => ({ [by]: key, unitMs, gpuHours })),
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
            onChoose={(each) => set({ by: each === "account" ? "" : each })}
          />
          <Choice
            of={ranges}
            chosen={days}
            word={(each) => `${each} days`}
            onChoose={(each) => set({ days: each === 7 ? "" : String(each) })}
          />
          <button type="button" className="button" onClick={save} disabled={rows.length === 0}>
            Download CSV
          </button>
        </div>
      </div>
      <CostTabs here="usage" />
      <div className="grid">
        <div className="span-4">
          <Figure
            label={`Used in ${days} days`}
            value={whole.data === undefined ? "…" : spellNumber(Math.round(total * 100) / 100)}
            unit="GPU-hours"
            beside={last === undefined ? "" : `${spellNumber(Math.round(last * 100) / 100)} in the ${days} days before`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Most used by"
            value={
              whole.data === undefined ? (
                "…"
              ) : rows[0] === undefined ? (
                "nobody"
              ) : (
                <span className="cut">{rows[0].key}</span>
              )
            }
            beside={rows[0] === undefined ? "" : `${spellShare(rows[0].hours, total)} of all`}
          />
        </div>
        <div className="span-4">
          {fleet === undefined ? (
            <Figure label={`${by}s`} value={spellNumber(rows.length)} beside="with usage" />
          ) : (
            <Figure
              label="Of the whole fleet"
              value={spellShare(gpuHoursOf(fleet.leased), gpuHoursOf(fleet.capacity))}
              unit="leased"
              beside={
                fleet.balanced ? "books balance to the millisecond" : "books do not balance; tell the platform owner"
              }
            />
          )}
        </div>
      </div>
      <OrElse instead={null}>
        <ChartCard
          title="GPU-hours a day"
          about="Calendar days of UTC."
          kind="bars"
          className=""
          view={reports.some(({ isPending }) => isPending) ? undefined : hoursPerDay(spans, perDay, stackedMax)}
        />
      </OrElse>
      <Card flush title={`By ${by}`}>
        {whole.data === undefined ? (
          <Skeleton lines={4} />
        ) : rows.length === 0 ? (
          <Empty title="No usage in these days" command="npx tess usage --by account" />
        ) : (
          <div className="table-box">
            <table className="table">
              <thead>
                <tr>
                  <th>{by}</th>
                  <th>Share</th>
                  <th className="number">GPU-hours</th>
                </tr>
              </thead>
              <tbody>
                {rows.slice(0, 200).map(({ key, hours }) => (
                  <tr key={key}>
                    <td>{key}</td>
                    <td style={{ width: "50%" }}>
                      <div className="row">
                        <div className="bar" style={{ flex: 1 }}>
                          <div
                            className="part used"
                            style={{ left: 0, width: `${total === 0 ? 0 : (100 * hours) / total}%` }}
                          />
                        </div>
                        <span className="small quiet" style={{ width: 44 }}>
                          {spellShare(hours, total)}
                        </span>
                      </div>
                    </td>
                    <td className="number">{spellNumber(Math.round(hours * 1000) / 1000)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Card>
    </div>
  );
}
