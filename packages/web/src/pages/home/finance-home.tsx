import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { gpuHoursOf, spellNumber } from "../../format/numbers.ts";

/** The usage of the last week, for finance. */
export function FinanceHome() {
  const { data } = useCall("readUsage", { query: { by: "account", from: "7d" } }, { everyMs: 30_000 });
  if (data === undefined) {
    return (
      <div className="page">
        <h1>Home</h1>
        <Skeleton lines={6} />
      </div>
    );
  }
  const rows = [...data.rows].sort((a, b) => gpuHoursOf(b.unitMs) - gpuHoursOf(a.unitMs));
  return (
    <div className="page">
      <div className="head">
        <h1>Used in the last 7 days</h1>
      </div>
      <div className="grid">
        <div className="span-6">
          <Figure
            label="Used"
            value={spellNumber(gpuHoursOf(data.total))}
            unit="GPU-hours"
            beside={`by ${rows.length} accounts`}
          />
        </div>
      </div>
      <Card title="By account" beside={<Link href="/cost">Cost explorer</Link>}>
        {rows.length === 0 ? (
          <Empty title="No usage in these days" />
        ) : (
          <ul className="list">
            {rows.slice(0, 12).map(({ key, unitMs }) => (
              <li key={key}>
                <span className="cut" style={{ flex: 1 }}>
                  {key}
                </span>
                <span className="nowrap">{spellNumber(gpuHoursOf(unitMs))} GPU-h</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </div>
  );
}
