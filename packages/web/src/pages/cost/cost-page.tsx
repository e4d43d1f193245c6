import { wordsOf } from "../../api/call.ts";
import { ChartCard } from "../../chart/chart.tsx";
import { OrElse } from "../../chart/fallback.tsx";
import { Choice } from "../../design/choice.tsx";
import { Button, Figure } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { Views } from "../../table/views.tsx";
import { toast } from "../../frame/toasts.tsx";
import { CostTabs } from "./cost-tabs.tsx";
import { hoursPerDay } from "./days.ts";
import { useUsageDays, useWholeUsage } from "./use-usage-days.ts";
import { largestFirst, UsedBy } from "./used-by.tsx";

const groups = ["account", "user", "job", "node"] as const;
const ranges = [7, 14, 30] as const;
const stackedMax = 6;

/** GPU time by account, user, job or node, day by day; group, range and account are in the address. */
export default function CostPage() {
  const [params, set] = useAddress();
  const by = groups.find((each) => each === params.get("by")) ?? "account";
  const days = ranges.find((each) => String(each) === params.get("days")) ?? 7;
  const asked = { by, days, account: useAccount() };
  const { spans, whole, before, perDay, error } = useUsageDays(asked);
  const all = useWholeUsage(asked);
  const save = async () => {
    try {
      const { rows } = await all.read();
      const lines = rows.map(({ key, name = "", unitMs, gpuHours }) => ({ [by]: key, name, unitMs, gpuHours }));
      saveCsv(`tessera-usage-by-${by}.csv`, lines);
    } catch (cause) {
      toast("bad", wordsOf(cause));
    }
  };
  const most = whole && largestFirst(whole)[0];
  return (
    <div className="page">
      <div className="head">
        <h1>Cost</h1>
        <div className="row wrap">
          <Choice
            of={groups}
            chosen={by}
            word={(each) => `by ${each}`}
            onChoose={(each) => set({ by: each === "account" ? "" : each }, { push: true })}
          />
          <Choice
            of={ranges}
            chosen={days}
            word={(each) => `${each} days`}
            onChoose={(each) => set({ days: each === 7 ? "" : String(each) }, { push: true })}
          />
          <Button onClick={() => void save()} disabled={most === undefined || all.busy}>
            Download CSV
          </Button>
        </div>
      </div>
      <CostTabs here="usage" />
      <Views filters={["by", "days"]} />
      <div className="grid">
        <div className="span-4">
          <Figure
            label={`Used in ${days} days`}
            value={whole === undefined ? "…" : spellHours(whole.total)}
            unit="GPU-hours"
            beside={before === undefined ? "" : `${spellHours(before.total)} in the ${days} days before`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Most used by"
            value={
              whole === undefined ? (
                "…"
              ) : most === undefined ? (
                "none"
              ) : (
                <span className="cut">{most.name ?? most.key}</span>
              )
            }
            beside={
              most === undefined ? "" : `${spellShare(gpuHoursOf(most.unitMs), gpuHoursOf(whole?.total ?? "0"))} of all`
            }
          />
        </div>
        <div className="span-4">
          {whole?.fleet === undefined ? (
            <Figure
              label={`${by}s`}
              value={whole === undefined ? "…" : spellNumber(whole.rows.length + (whole.rest?.rows ?? 0))}
              beside="with usage"
            />
          ) : (
            <Figure
              label="Of the whole fleet"
              value={spellShare(gpuHoursOf(whole.fleet.leased), gpuHoursOf(whole.fleet.capacity))}
              unit="leased"
              beside={
                whole.fleet.balanced
                  ? "books balance to the millisecond"
                  : "books do not balance; tell the platform owner"
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
          view={perDay && hoursPerDay(spans, perDay, stackedMax)}
          error={error}
        />
      </OrElse>
      <UsedBy by={by} report={whole} />
    </div>
  );
}

function spellHours(unitMs: string): string {
  return spellNumber(Math.round(gpuHoursOf(unitMs) * 100) / 100);
}
