import type { WhatIfReport } from "@tessera/wire";
import { Link } from "wouter";
import { Button, Card, Figure, Notice, Time } from "../../design/parts.tsx";
import { TableBox } from "../../design/table-box.tsx";
import { saveCsv } from "../../format/csv.ts";
import { spellMoney } from "../../format/money.ts";
import { count, spellNumber, spellShare } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";
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
  const pair = (before: string, after: string) => (before === after ? before : `${before} → ${after}`);
  return (
    <Card flush title="By team" beside={<Button onClick={() => saveCsv("what-if.csv", csvRows(report))}>CSV</Button>}>
      <TableBox label="By team">
        <thead>
          <tr>
            <th>Team</th>
            <th className="number">Jobs</th>
            <th className="number">Wait p50</th>
            <th className="number">Wait p90</th>
            <th className="number">Preemptions</th>
            {currency !== null && <th className="number">Cost</th>}
          </tr>
        </thead>
        <tbody>
          {accounts.map(({ account, asItWas, changed }) => (
            <tr key={account}>
              <td>{account}</td>
              <td className="number">{spellNumber(asItWas.jobs)}</td>
              <td className="number">{pair(spellSpan(asItWas.waitMsP50), spellSpan(changed.waitMsP50))}</td>
              <td className="number">{pair(spellSpan(asItWas.waitMsP90), spellSpan(changed.waitMsP90))}</td>
              <td className="number">{pair(spellNumber(asItWas.evictions), spellNumber(changed.evictions))}</td>
              {currency !== null && (
                <td className="number">
                  {pair(
                    spellMoney(asItWas.costMicros ?? "0", currency),
                    spellMoney(changed.costMicros ?? "0", currency),
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </TableBox>
    </Card>
  );
}

function MostChanged({ report: { jobs } }: { report: WhatIfReport }) {
  if (jobs.length === 0) return <p className="quiet">No job would have waited longer or shorter.</p>;
  return (
    <Card flush title="Jobs that change most">
      <TableBox label="Jobs that change most">
        <thead>
          <tr>
            <th>Job</th>
            <th>Team</th>
            <th className="number">GPUs</th>
            <th className="number">Wait, as it was</th>
            <th className="number">Wait, changed</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ job, name, account, gpus, asItWas, changed }) => (
            <tr key={job}>
              <td>
                <Link href={`/jobs/${job}`}>{name}</Link>
              </td>
              <td>{account}</td>
              <td className="number">{spellNumber(gpus)}</td>
              <td className="number">{spellSpan(asItWas.waitMs)}</td>
              <td className="number">{spellSpan(changed.waitMs)}</td>
            </tr>
          ))}
        </tbody>
      </TableBox>
    </Card>
  );
}
