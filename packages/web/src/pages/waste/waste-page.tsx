import type { WasteReport } from "@tessera/wire";
import { wordsOf } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { RangeChart } from "../../chart/chart.tsx";
import { isUnderWay, timeOf, useRange } from "../../chart/range.ts";
import { RangeBar } from "../../chart/range-bar.tsx";
import { Choice } from "../../design/choice.tsx";
import { Button, Card, Empty, Figure, Notice, Skeleton } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellMoney } from "../../format/money.ts";
import { gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { Views } from "../../table/views.tsx";
import { CostTabs } from "../cost/cost-tabs.tsx";
import { fileOf, unitMsOf, wastedMicros } from "./classes.ts";
import { WasteBar, WasteClasses } from "./waste-bar.tsx";
import { Oversized, Unfit, WasteRows } from "./waste-tables.tsx";

const groups = ["account", "user", "job", "node", "model"] as const;
const usual = "7d";

/** Where the capacity went, in GPU time and money; of a team, its own part. Range, group and account are in the address. */
export default function WastePage() {
  const [params, set] = useAddress();
  const by = groups.find((each) => each === params.get("by")) ?? "account";
  const { range, compares } = useRange(usual);
  const account = useAccount();
  const of = account === "" ? {} : { account };
  const everyMs = isUnderWay(range, Date.now()) ? { everyMs: 60_000 } : {};
  // The same days as those of the hours on Cost.
  const time = (before: boolean) => timeOf(range, Date.now(), before);
  const { data, isError, error } = useCall("readWaste", { query: { ...time(false), ...of, by } }, everyMs);
  const ofBefore = { query: { ...time(true), ...of, by } };
  const before = useCall("readWaste", ofBefore, { on: compares, ...everyMs }).data;
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
        </div>
      </div>
      <CostTabs here="waste" />
      <RangeBar usual={usual} />
      <Views filters={["by", "range", "compare"]} />
      {data === undefined && (isError ? <Empty title="Not available">{wordsOf(error)}</Empty> : <Skeleton lines={8} />)}
      {data !== undefined && <Report report={data} before={compares ? before : undefined} />}
      <div className="grid">
        <RangeChart
          title="GPU activity by account"
          usual={usual}
          asks={[{ metric: "activity", by: "account", ...of }]}
        />
        <RangeChart title="Power by account" usual={usual} asks={[{ metric: "power", by: "account", ...of }]} />
      </div>
    </div>
  );
}

interface ReportProps {
  readonly report: WasteReport;
  /** The period before, on request. */
  readonly before: WasteReport | undefined;
}

function Report({ report, before }: ReportProps) {
  const { total, capacity, currency, oversized, by } = report;
  return (
    <>
      <Figures report={report} before={before} />
      <Card
        title={capacity === undefined ? "Where your GPU time went" : "Where the capacity went"}
        beside={<span className="quiet small">worth: the list price beyond the guarantee</span>}
      >
        <div className="stack">
          <WasteBar of={total} />
          <WasteClasses of={total} currency={currency} />
          {capacity !== undefined && <Sum capacity={capacity} />}
        </div>
      </Card>
      <Card
        title={`By ${by}`}
        beside={
          <span className="row">
            <span className="quiet small">GPU-hours; those that waste most first</span>
            <Button
              small
              aria-label={`Waste by ${by}: CSV`}
              onClick={() => saveCsv(`waste-by-${by}.csv`, fileOf(report))}
            >
              CSV
            </Button>
          </span>
        }
      >
        <WasteRows report={report} />
      </Card>
      <Card title="Shapes that do not fit now">
        <Unfit report={report} />
      </Card>
      <Card title="Oversized" beside={<span className="quiet small">their time is in the parts above</span>}>
        {oversized.length === 0 ? (
          <p className="quiet">No job held a GPU that is larger than it needed, as far as was measured.</p>
        ) : (
          <Oversized report={report} />
        )}
      </Card>
    </>
  );
}

function Figures({ report: { total, capacity, currency }, before }: ReportProps) {
  const [all, busy] = [Number(total.unitMs), Number(unitMsOf(total, "busy"))];
  const then = before?.total;
  const unmeasured = Number(unitMsOf(total, "allocated_unmeasured"));
  return (
    <div className="grid">
      <div className="span-4">
        <Figure
          label={capacity === undefined ? "Held" : "Capacity"}
          value={spellNumber(gpuHoursOf(total.unitMs))}
          unit="GPU-hours"
          beside={
            then === undefined
              ? `worth ${spellMoney(total.micros, currency)}`
              : `${spellNumber(gpuHoursOf(then.unitMs))} in the period before`
          }
        />
      </div>
      <div className="span-4">
        <Figure
          label="Busy"
          value={spellShare(busy, all)}
          beside={
            then !== undefined
              ? `${spellShare(Number(unitMsOf(then, "busy")), Number(then.unitMs))} in the period before`
              : unmeasured > 0
                ? `${spellShare(unmeasured, all)} was held and not measured`
                : "everything held was measured"
          }
        />
      </div>
      <div className="span-4">
        <Figure
          label="Not used"
          value={spellMoney(wastedMicros(total), currency)}
          beside={
            then === undefined
              ? worthNote(total.micros, capacity?.perCentMonthMicros, currency)
              : `${spellMoney(wastedMicros(then), currency)} in the period before`
          }
        />
      </div>
    </div>
  );
}

function worthNote(micros: string, perCentMonthMicros: string | undefined, currency: string): string {
  if (micros === "0") return "no price list applies in this time: tess price add FILE";
  if (perCentMonthMicros === undefined) return "without what was busy or not measured";
  return `one more per cent in use is worth ${spellMoney(perCentMonthMicros, currency)} a month`;
}

function Sum({ capacity }: { capacity: NonNullable<WasteReport["capacity"]> }) {
  const { exact, unitMs, differenceUnitMs } = capacity;
  const hours = `${spellNumber(gpuHoursOf(unitMs))} GPU-hours, counted from the devices`;
  if (exact) return <p className="quiet small">The parts add up exactly to the capacity: {hours}.</p>;
  return (
    <Notice kind="bad">
      The parts do not add up to the capacity ({hours}): {differenceUnitMs} unit-milliseconds apart.
    </Notice>
  );
}
