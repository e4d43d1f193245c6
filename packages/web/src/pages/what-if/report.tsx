import type { WhatIfReport } from "@tessera/wire";
import { useMemo } from "react";
import { Button, Card, Figure, Notice, Time } from "../../design/parts.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellMoney } from "../../format/money.ts";
import { count, spellNumber, spellShare } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { Table } from "../../table/table.tsx";
import { PairBars } from "./pair-bars.tsx";
import { csvRows, type Measure, measures, rowsOf } from "./report-view.ts";

const spells: Readonly<Record<Measure["unit"], (value: number) => string>> = {
  wait: spellSpan,
  count: spellNumber,
  "gpu-hours": (value) => spellNumber(Math.round(value * 100) / 100),
};

/** What came of a what-if: the fleet in figures, the teams in charts, everything in a table. */
export function Report({ report }: { report: WhatIfReport }) {
  const { fleet, from, to } = report;
  const { asItWas, changed } = fleet;
  return (
    <div className="stack">
      <p className="quiet">
        <Time at={from} /> to <Time at={to} />, {count(asItWas.jobs, "job")}. The upper bars: replayed as it was. The
        lower ones: with the change.
      </p>
      <div className="grid">
        <div className="span-4">
          <Figure
            label="Utilization"
            value={spellShare(changed.utilization, 1)}
            beside={`${spellShare(asItWas.utilization, 1)} as it was`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Wait p90"
            value={spellSpan(changed.waitMsP90)}
            beside={`${spellSpan(asItWas.waitMsP90)} as it was; p50 ${spellSpan(changed.waitMsP50)} instead of ${spellSpan(asItWas.waitMsP50)}`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Preemptions"
            value={spellNumber(changed.evictions)}
            beside={`${spellNumber(asItWas.evictions)} as it was`}
          />
        </div>
      </div>
      <Trust report={report} />
      <div className="grid">
        {measures.map((measure) => (
          <PairBars
            key={measure.title}
            title={measure.title}
            rows={rowsOf(report, measure)}
            spell={spells[measure.unit]}
          />
        ))}
      </div>
      <Teams report={report} />
      <MostChanged report={report} />
    </div>
  );
}

/** How far the result can be trusted. */
function Trust({ report: { recorded, fleet, endUnknown, differences, refused } }: { report: WhatIfReport }) {
  return (
    <Notice kind={differences > 0 || refused.length > 0 ? "warn" : "plain"}>
      Really: p90 {spellSpan(recorded.waitMsP90)}, {count(recorded.evictions, "preemption")}; the unchanged replay comes
      to {spellSpan(fleet.asItWas.waitMsP90)} and {spellNumber(fleet.asItWas.evictions)}. The nearer they are, the
      better the answer.
      {endUnknown > 0 &&
        ` Of ${count(endUnknown, "job")} the past does not tell how long they take: they run on to the end.`}
      {differences > 0 &&
        ` The scheduler of today decides ${count(differences, "batch", "batches")} otherwise than was recorded.`}
      {refused.map((text) => (
        <div key={text}>With the change refused: {text}</div>
      ))}
    </Notice>
  );
}

function Teams({ report }: { report: WhatIfReport }) {
  const { accounts, currency } = report;
  const columns = useMemo(() => (currency === null ? teamColumns : [...teamColumns, costColumn(currency)]), [currency]);
  const { look } = useLook(columns, { name: "teams" });
  return (
    <Card flush title="By team" beside={<Button onClick={() => saveCsv("what-if.csv", csvRows(report))}>CSV</Button>}>
      <Table label="By team" items={accounts} columns={columns} look={look} keyOf={({ account }) => account} />
    </Card>
  );
}

function pair(before: string, after: string): string {
  return before === after ? before : `${before} → ${after}`;
}

type Team = WhatIfReport["accounts"][number];

const teamColumns: readonly Column<Team>[] = [
  { label: "Team", show: ({ account }) => account, by: ({ account }) => account },
  { label: "Jobs", number: true, show: ({ asItWas }) => spellNumber(asItWas.jobs), by: ({ asItWas }) => asItWas.jobs },
  {
    label: "Wait p50",
    number: true,
    show: ({ asItWas, changed }) => pair(spellSpan(asItWas.waitMsP50), spellSpan(changed.waitMsP50)),
    by: ({ changed }) => changed.waitMsP50,
  },
  {
    label: "Wait p90",
    number: true,
    show: ({ asItWas, changed }) => pair(spellSpan(asItWas.waitMsP90), spellSpan(changed.waitMsP90)),
    by: ({ changed }) => changed.waitMsP90,
  },
  {
    label: "Preemptions",
    number: true,
    show: ({ asItWas, changed }) => pair(spellNumber(asItWas.evictions), spellNumber(changed.evictions)),
    by: ({ changed }) => changed.evictions,
  },
];

function costColumn(currency: string): Column<Team> {
  return {
    label: "Cost",
    number: true,
    show: ({ asItWas, changed }) =>
      pair(spellMoney(asItWas.costMicros ?? "0", currency), spellMoney(changed.costMicros ?? "0", currency)),
    by: ({ changed }) => BigInt(changed.costMicros ?? "0"),
  };
}

const changedColumns: readonly Column<WhatIfReport["jobs"][number]>[] = [
  { label: "Job", show: ({ name }) => name, by: ({ name }) => name },
  { label: "Team", show: ({ account }) => account, by: ({ account }) => account },
  { label: "GPUs", number: true, show: ({ gpus }) => spellNumber(gpus), by: ({ gpus }) => gpus },
  {
    label: "Wait, as it was",
    number: true,
    show: ({ asItWas }) => spellSpan(asItWas.waitMs),
    by: ({ asItWas }) => asItWas.waitMs,
  },
  {
    label: "Wait, changed",
    number: true,
    show: ({ changed }) => spellSpan(changed.waitMs),
    by: ({ changed }) => changed.waitMs,
  },
];

function MostChanged({ report: { jobs } }: { report: WhatIfReport }) {
  const { look } = useLook(changedColumns, { name: "changed" });
  if (jobs.length === 0) return <p className="quiet">No job would have waited longer or shorter.</p>;
  return (
    <Card flush title="Jobs that change most">
      <Table
        label="Jobs that change most"
        items={jobs}
        columns={changedColumns}
        look={look}
        keyOf={({ job }) => job}
        hrefOf={({ job }) => `/jobs/${job}`}
      />
    </Card>
  );
}
