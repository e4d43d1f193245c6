import { divideRounded, exponentOf, minorMicros } from "@tessera/core";
import { textTable } from "../simulate/table.ts";
import type { ChangeText } from "./change.ts";
import type { Comparison, Figures, Pair } from "./compare.ts";
import type { Difference } from "./same-decisions.ts";

/** Everything that a what-if has to say. */
export interface Report extends Comparison {
  readonly from: number;
  readonly to: number;
  readonly changed: ChangeText;
  /** Recorded inputs decided anew by the scheduler of today, beside what was decided then; null of another's past. */
  readonly replay: {
    readonly batches: number;
    readonly differences: number;
    readonly sameState: boolean;
    readonly first: Difference | null;
  } | null;
  /** What really became of everybody: how near the unchanged rerun comes to it tells how far it can be trusted. */
  readonly recorded: Figures;
  readonly endUnknown: number;
}

const title = "What if";

/** For a terminal. */
export function tableOf(report: Report): string {
  return [
    `${title}: ${changeText(report.changed)}`,
    `from ${new Date(report.from).toISOString()} to ${new Date(report.to).toISOString()}`,
    replayText(report),
    "",
    ...textTable(headerOf(report), rowsOf(report)),
    "",
    `utilization ${percent(report.fleet.asItWas.utilization)} -> ${percent(report.fleet.changed.utilization)}`,
    ...notesOf(report),
    "",
    ...(report.jobs.length === 0
      ? ["no job would have waited longer or shorter"]
      : ["jobs that change most:", ...textTable(jobHeader, jobRowsOf(report))]),
  ].join("\n");
}

/** A page of its own, to be opened from disk. */
export function pageOf(report: Report): string {
  const table = (header: readonly string[], rows: readonly (readonly string[])[]) =>
    `<table><thead><tr>${header.map((cell) => `<th>${escaped(cell)}</th>`).join("")}</tr></thead><tbody>${rows
      .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`)
      .join("")}</tbody></table>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}: ${escaped(changeText(report.changed))}</title><style>${style}</style></head><body>
<h1>${title}: ${escaped(changeText(report.changed))}</h1>
<p>${new Date(report.from).toISOString()} to ${new Date(report.to).toISOString()}. ${escaped(replayText(report))}</p>
<p>Utilization ${percent(report.fleet.asItWas.utilization)} → ${percent(report.fleet.changed.utilization)}.
${escaped(notesOf(report).join(" "))}</p>
${barsOf(report)}
<h2>Accounts</h2>
${table(headerOf(report), rowsOf(report))}
<h2>Jobs that change most</h2>
${report.jobs.length === 0 ? "<p>No job would have waited longer or shorter.</p>" : table(jobHeader, jobRowsOf(report))}
</body></html>`;
}

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem auto;padding:0 1rem;color:#1c2430;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #dde3ea;font-variant-numeric:tabular-nums}
.bar{display:grid;grid-template-columns:14rem 1fr;gap:.5rem;align-items:center;margin:.2rem 0}.bar svg{width:100%;height:22px}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}}`;

/** Mean waits per account as bars: as it was above, changed below. */
function barsOf({ accounts }: Report): string {
  const longest = Math.max(1, ...accounts.flatMap(({ asItWas, changed }) => [asItWas.waitMsMean, changed.waitMsMean]));
  const width = (ms: number) => ((100 * ms) / longest).toFixed(2);
  const bars = accounts.map(
    ({ account, asItWas, changed }) =>
      `<div class="bar"><span>${escaped(account)}</span><svg role="img" aria-label="${escaped(account)}: mean wait ${duration(
        asItWas.waitMsMean,
      )}, then ${duration(changed.waitMsMean)}"><rect width="${width(asItWas.waitMsMean)}%" height="9" fill="#8a94a3"/><rect y="11" width="${width(
        changed.waitMsMean,
      )}%" height="9" fill="#2f6fde"/></svg></div>`,
  );
  return `<h2>Mean wait: as it was (grey), changed (blue)</h2>${bars.join("")}`;
}

interface Column {
  readonly name: string;
  readonly of: (figures: Figures) => string;
}

const plainColumns: readonly Column[] = [
  { name: "jobs started", of: ({ started, jobs }) => `${started}/${jobs}` },
  { name: "wait mean", of: ({ waitMsMean }) => duration(waitMsMean) },
  { name: "wait p90", of: ({ waitMsP90 }) => duration(waitMsP90) },
  { name: "preempted", of: ({ evictions }) => String(evictions) },
  { name: "lost GPU-h", of: ({ lostGpuMs }) => hours(lostGpuMs) },
  { name: "GPU-h held", of: ({ heldGpuMs }) => hours(heldGpuMs) },
];

/** Costs only where something has a price. */
function columnsOf({ currency }: Report): readonly Column[] {
  if (currency === null) return plainColumns;
  const amount = ({ costMicros = 0n }: Figures) => amountText(costMicros, currency);
  return [...plainColumns, { name: `cost ${currency}`, of: amount }];
}

function headerOf(report: Report): string[] {
  return ["account", ...columnsOf(report).map(({ name }) => name)];
}

function rowsOf(report: Report): string[][] {
  const { accounts, fleet } = report;
  const columns = columnsOf(report);
  const row = (name: string, { asItWas, changed }: Pair<Figures>) => [
    name,
    ...columns.map(({ of }) => arrow(of(asItWas), of(changed))),
  ];
  return [...accounts.map((each) => row(each.account, each)), row("all", fleet)];
}

const jobHeader = ["job", "name", "account", "GPUs", "wait", "change", "preempted"];

function jobRowsOf({ jobs }: Report): string[][] {
  return jobs.map(({ job, name, account, gpus, waitMsChange, asItWas, changed }) => [
    job,
    name,
    account,
    String(gpus),
    arrow(duration(asItWas.waitMs), duration(changed.waitMs)),
    `${waitMsChange < 0 ? "-" : "+"}${duration(Math.abs(waitMsChange))}`,
    arrow(String(asItWas.evictions), String(changed.evictions)),
  ]);
}

function replayText({ replay }: Report): string {
  if (replay === null)
    return "a past of another scheduler: its decisions are not compared, only what became of its jobs";
  const { batches, differences, sameState, first } = replay;
  if (differences === 0)
    return `the ${batches} recorded batches are decided the same today${sameState ? ", state included" : ""}`;
  return `${differences} of ${batches} recorded batches would be decided otherwise today, first at row ${first!.seq}`;
}

function notesOf(report: Report): string[] {
  const { refused, endUnknown, recorded, fleet } = report;
  return [
    `what really happened, beside the rerun without a change: ${columnsOf(report)
      .map(({ name, of }) => `${name} ${of(recorded)} / ${of(fleet.asItWas)}`)
      .join(", ")}`,
    ...(refused.changed + refused.asItWas === 0
      ? []
      : [`commands of the past that are refused: ${arrow(String(refused.asItWas), String(refused.changed))}`]),
    ...refused.first.map((text) => `refused under the change: ${text}`),
    ...(endUnknown === 0 ? [] : [`${endUnknown} jobs are not known to end and run on to the last instant`]),
  ];
}

function changeText({ sets, policies, nodes }: ChangeText): string {
  const parts = [
    ...sets,
    ...policies,
    ...nodes.map((text) => (text.startsWith("-") ? `${text.slice(1)} fewer` : `${text} more`)),
  ];
  return parts.length === 0 ? "nothing had changed" : parts.join(", ");
}

function arrow(a: string, b: string): string {
  return a === b ? a : `${a} -> ${b}`;
}

/** Millionths of a currency with as many digits after the point as it is paid in. */
function amountText(micros: bigint, currency: string): string {
  const digits = exponentOf(currency);
  const minor = divideRounded(micros, minorMicros(currency), "half-even");
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, "0");
  const [whole, part] = [text.slice(0, text.length - digits), text.slice(text.length - digits)];
  return `${minor < 0n ? "-" : ""}${whole}${digits === 0 ? "" : `.${part}`}`;
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

function hours(gpuMs: number): string {
  return (gpuMs / 3_600_000).toFixed(2);
}

function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  if (ms < 3_600_000) return `${(ms / 60_000).toFixed(1)}m`;
  return `${(ms / 3_600_000).toFixed(1)}h`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
