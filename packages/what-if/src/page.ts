import { shortDuration } from "@tessera/core/duration";
import { barChart, escaped, framed, table, tiles } from "@tessera/sim";
import {
  changeText,
  headerOf,
  jobHeader,
  jobRowsOf,
  notesOf,
  percent,
  type Report,
  replayText,
  rowsOf,
  title,
} from "./report.ts";

/** A page of its own, to be opened from disk. */
export function pageOf(report: Report): string {
  const { fleet, accounts, jobs, from, to } = report;
  const { asItWas, changed } = fleet;
  const both = (a: string, b: string) => (a === b ? a : `${a} → ${b}`);
  const waits = accounts.map(({ account, ...pair }) => ({
    name: account,
    values: [pair.asItWas.waitMsMean, pair.changed.waitMsMean],
  }));
  return framed(
    `${title}: ${changeText(report.changed)}`,
    `<p class="quiet">${new Date(from).toISOString()} to ${new Date(to).toISOString()}</p>
<p>${escaped(replayText(report))}</p>
${tiles([
  [both(percent(asItWas.utilization), percent(changed.utilization)), "utilization"],
  [both(shortDuration(asItWas.waitMsMean), shortDuration(changed.waitMsMean)), "mean wait"],
  [both(String(asItWas.evictions), String(changed.evictions)), "preemptions"],
  [both(String(asItWas.started), String(changed.started)), "jobs started"],
])}
<div class="charts">${barChart("Mean wait by account", waits, ["as it was", "changed"], "time in the queue", shortDuration)}</div>
<h2>Accounts</h2>
${table(headerOf(report), rowsOf(report))}
<h2>Jobs that change most</h2>
${jobs.length === 0 ? "<p>No job would have waited longer or shorter.</p>" : table(jobHeader, jobRowsOf(report))}
<h2>How far this can be trusted</h2>
${notesOf(report)
  .map((note) => `<p>${escaped(note)}</p>`)
  .join("\n")}`,
  );
}
