import { wordsOf } from "../../api/call.ts";
import { ChartCard } from "../../chart/chart.tsx";
import { lookOfAccount, looksOfNames } from "../../chart/colours.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { type Part, rangeWords, useRange, zoomed } from "../../chart/range.ts";
import { RangeBar } from "../../chart/range-bar.tsx";
import { usePlaces } from "../../chart/use-places.ts";
import { compared } from "../../chart/view.ts";
import { Choice } from "../../design/choice.tsx";
import { Button, Figure } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { toast } from "../../frame/toasts.tsx";
import { Views } from "../../table/views.tsx";
import { CostTabs } from "./cost-tabs.tsx";
import { hoursPerStep, type UseOfStep } from "./days.ts";
import { useUsageDays, useWholeUsage } from "./use-usage-days.ts";
import { largestFirst, UsedBy } from "./used-by.tsx";

const groups = ["account", "user", "job", "node"] as const;
const usual = "7d";
const stackedMax = 6;

/** GPU time by account, user, job or node over time; group, range and account are in the address. */
export default function CostPage() {
  const [params, set] = useAddress();
  const by = groups.find((each) => each === params.get("by")) ?? "account";
  const { range, choose, compares } = useRange(usual);
  const asked = { by, range, account: useAccount() };
  const { steps, lengthMs, whole, wholeError, before, perStep, perStepBefore, error } = useUsageDays(asked, compares);
  const places = usePlaces(by === "account");
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
  const looksOf = (names: readonly string[]) =>
    places === undefined || places === "loading" || by !== "account"
      ? looksOfNames(names)
      : new Map(names.map((name) => [name, lookOfAccount(name, places)]));
  const viewOf = (reports: readonly UseOfStep[] | undefined, parts: readonly Part[]) =>
    reports && hoursPerStep({ ...steps, parts }, reports, stackedMax, looksOf);
  const earlier = steps.parts.map(({ from, to }) => ({ from: from - lengthMs, to: to - lengthMs }));
  const now = places === "loading" ? undefined : viewOf(perStep, steps.parts);
  const view = now && compared(now, viewOf(perStepBefore, earlier), "bars", lengthMs);
  const onZoom = (from: number, to: number) => {
    const next = zoomed(from, to);
    if (next !== undefined) choose(next);
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
          <Button onClick={() => void save()} disabled={most === undefined || all.busy}>
            Download CSV
          </Button>
        </div>
      </div>
      <CostTabs here="usage" />
      <RangeBar usual={usual} />
      <Views filters={["by", "range", "compare"]} />
      <div className="grid">
        <div className="span-4">
          <Figure
            label={`Used in ${rangeWords(range)}`}
            value={whole === undefined ? "…" : spellHours(whole.total)}
            unit="GPU-hours"
            beside={before === undefined ? "" : `${spellHours(before.total)} in the ${rangeWords(range)} before`}
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
        <ChartCard title="GPU-hours over time" kind="bars" className="" view={view} error={error} onZoom={onZoom} />
      </OrElse>
      <UsedBy by={by} report={whole} error={wholeError} />
    </div>
  );
}

function spellHours(unitMs: string): string {
  return spellNumber(Math.round(gpuHoursOf(unitMs) * 100) / 100);
}
