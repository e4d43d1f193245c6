import type { WhatIfFigures, WhatIfReport } from "@tessera/wire";

/** One measure of a team or of the fleet, before and after. */
export interface PairRow {
  readonly label: string;
  readonly before: number;
  readonly after: number;
}

export interface Measure {
  readonly title: string;
  readonly of: (figures: WhatIfFigures) => number;
  readonly unit: "wait" | "count" | "gpu-hours";
}

/** What is compared by team. */
export const measures: readonly Measure[] = [
  { title: "Wait, half of the jobs (p50)", of: ({ waitMsP50 }) => waitMsP50, unit: "wait" },
  { title: "Wait, nine of ten jobs (p90)", of: ({ waitMsP90 }) => waitMsP90, unit: "wait" },
  { title: "Preemptions", of: ({ evictions }) => evictions, unit: "count" },
  { title: "GPU-hours held", of: ({ heldGpuMs }) => heldGpuMs / 3_600_000, unit: "gpu-hours" },
];

/** Teams shown in a chart: those whose measure is largest, before or after. */
const rowsMax = 12;

export function rowsOf(report: WhatIfReport, { of }: Measure): PairRow[] {
  return report.accounts
    .map(({ account, asItWas, changed }) => ({ label: account, before: of(asItWas), after: of(changed) }))
    .filter(({ before, after }) => before > 0 || after > 0)
    .sort((a, b) => Math.max(b.before, b.after) - Math.max(a.before, a.after) || (a.label < b.label ? -1 : 1))
    .slice(0, rowsMax);
}

/** Every figure of the fleet and of each team, for a file. */
export function csvRows({ fleet, accounts }: WhatIfReport): object[] {
  const row = (account: string, when: string, figures: WhatIfFigures & { utilization?: number }) => ({
    ...{ account, when, jobs: figures.jobs, started: figures.started, waitMsP50: Math.round(figures.waitMsP50) },
    ...{ waitMsP90: Math.round(figures.waitMsP90), waitMsMean: Math.round(figures.waitMsMean) },
    ...{ preemptions: figures.evictions, lostGpuMs: figures.lostGpuMs, heldGpuMs: figures.heldGpuMs },
    ...{ utilization: figures.utilization?.toFixed(4) ?? "", costMicros: figures.costMicros ?? "" },
  });
  return [
    ...[row("the fleet", "as it was", fleet.asItWas), row("the fleet", "changed", fleet.changed)],
    ...accounts.flatMap(({ account, asItWas, changed }) => [
      row(account, "as it was", asItWas),
      row(account, "changed", changed),
    ]),
  ];
}
