import { divideRounded, exponentOf, minorMicros } from "@tessera/core";
import { shortDuration } from "@tessera/core/duration";
import { textTable } from "@tessera/sim";
import type { ChangeText } from "./change.ts";
import type { Comparison, Figures, Pair } from "./compare.ts";
import type { Difference } from "./same-decisions.ts";
import type { Savings } from "./savings.ts";
import type { Tallied } from "./tally.ts";

/** Everything that a what-if has to say. */
export interface Report extends Comparison {
  readonly from: number;
  readonly to: number;
  readonly changed: ChangeText;
  /** Recorded inputs decided again by today's scheduler, beside what was decided then; null for a Slurm history. */
  readonly replay: {
    readonly batches: number;
    readonly differences: number;
    readonly sameState: boolean;
    readonly stateHash: string;
    readonly first: Difference | null;
  } | null;
  /** What really became of everybody: how near the unchanged rerun comes to it tells how far it can be trusted. */
  readonly recorded: Figures;
  readonly endUnknown: number;
  /** Only where hard quotas were asked for. */
  readonly savings?: Savings;
}

export const title = "What if";

/** For a terminal. */
export function tableOf(report: Report): string {
  return [
    `${title}: ${changeText(report.changed)}`,
    `from ${new Date(report.from).toISOString()} to ${new Date(report.to).toISOString()}`,
    replayText(report),
    "",
    ...textTable(headerOf(report), rowsOf(report)),
    "",
    `utilization ${percent(report.fleet.asItWas.utilization)} → ${percent(report.fleet.changed.utilization)}`,
    ...notesOf(report),
    "",
    ...(report.jobs.length === 0
      ? ["no job would have waited longer or shorter"]
      : ["jobs that change most:", ...textTable(jobHeader, jobRowsOf(report))]),
  ].join("\n");
}

interface Column {
  readonly name: string;
  readonly of: (figures: Figures) => string;
}

const plainColumns: readonly Column[] = [
  { name: "jobs started", of: ({ started, jobs }) => `${started}/${jobs}` },
  { name: "wait mean", of: ({ waitMsMean }) => shortDuration(waitMsMean) },
  { name: "wait p90", of: ({ waitMsP90 }) => shortDuration(waitMsP90) },
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

export function headerOf(report: Report): string[] {
  return ["account", ...columnsOf(report).map(({ name }) => name)];
}

export function rowsOf(report: Report): string[][] {
  const { accounts, fleet } = report;
  const columns = columnsOf(report);
  const row = (name: string, { asItWas, changed }: Pair<Figures>) => [
    name,
    ...columns.map(({ of }) => arrow(of(asItWas), of(changed))),
  ];
  return [...accounts.map((each) => row(each.account, each)), row("all", fleet)];
}

export const jobHeader = ["job", "name", "account", "GPUs", "wait", "change", "preempted"];

export function jobRowsOf({ jobs }: Report): string[][] {
  return jobs.map(({ job, name, account, gpus, waitMsChange, asItWas, changed }) => [
    job,
    name,
    account,
    String(gpus),
    arrow(shortDuration(asItWas.waitMs), shortDuration(changed.waitMs)),
    `${waitMsChange < 0 ? "-" : "+"}${shortDuration(Math.abs(waitMsChange))}`,
    arrow(String(asItWas.evictions), String(changed.evictions)),
  ]);
}

export function replayText({ replay }: Report): string {
  if (replay === null)
    return "a past of another scheduler: its decisions are not compared, only what became of its jobs";
  const { batches, differences, sameState, stateHash, first } = replay;
  if (differences === 0)
    return `the ${batches} recorded batches are decided the same today${sameState ? `, down to the state ${stateHash.slice(0, 16)}` : ""}`;
  return `${differences} of ${batches} recorded batches would be decided otherwise today, first at row ${first!.seq}`;
}

export function notesOf(report: Report): string[] {
  const { refused, endUnknown, recorded, fleet } = report;
  return [
    ...savingsText(report),
    `what really happened, beside the rerun without a change: ${columnsOf(report)
      .map(({ name, of }) => `${name} ${of(recorded)} / ${of(fleet.asItWas)}`)
      .join(", ")}`,
    scrubText(report),
    ...(refused.changed + refused.asItWas === 0
      ? []
      : [`commands of the past that are refused: ${arrow(String(refused.asItWas), String(refused.changed))}`]),
    ...refused.first.map((text) => `refused under the change: ${text}`),
    ...(endUnknown === 0 ? [] : [`${endUnknown} jobs are not known to end and run on to the last instant`]),
  ];
}

function savingsText({ savings, currency }: Report): string[] {
  if (savings === undefined) return [];
  const { unitMs, gpuHours, ofCapacity, micros } = savings;
  const worth = micros === undefined || currency === null ? "" : `, worth ${amountText(micros, currency)} ${currency}`;
  const more = unitMs < 0n ? "fewer" : "more";
  return [
    `sharing gave ${Math.abs(gpuHours).toFixed(2)} GPU-hours ${more} than hard quotas (${percent(Math.abs(ofCapacity))} of the fleet${worth}); lost work is taken off`,
  ];
}

/** Whether GPUs that pass between tenants cost time here. */
function scrubText({ scrubs: { asItWas, changed } }: Report): string {
  const times = ({ count }: Tallied["scrubs"]) => (count === 1 ? "1 member" : `${count} members`);
  if (asItWas.count + changed.count === 0) return "no GPU was scrubbed between tenants: scrubs cost no time here";
  const waited = arrow(shortDuration(asItWas.waitedMs), shortDuration(changed.waitedMs));
  return `${arrow(times(asItWas), times(changed))} waited for a scrub between tenants, ${waited} in all`;
}

export function changeText({ sets, policies, nodes, hardQuotas }: ChangeText): string {
  const parts = [
    ...(hardQuotas ? ["hard quotas: each account holds at most its guarantee"] : []),
    ...sets,
    ...policies,
    ...nodes.map((text) => (text.startsWith("-") ? `${text.slice(1)} fewer` : `${text} more`)),
  ];
  return parts.length === 0 ? "nothing had changed" : parts.join(", ");
}

function arrow(a: string, b: string): string {
  return a === b ? a : `${a} → ${b}`;
}

/** Millionths of a currency with as many digits after the point as it is paid in. */
function amountText(micros: bigint, currency: string): string {
  const digits = exponentOf(currency);
  const minor = divideRounded(micros, minorMicros(currency), "half-even");
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, "0");
  const [whole, part] = [text.slice(0, text.length - digits), text.slice(text.length - digits)];
  return `${minor < 0n ? "-" : ""}${whole}${digits === 0 ? "" : `.${part}`}`;
}

export function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}

function hours(gpuMs: number): string {
  return (gpuMs / 3_600_000).toFixed(2);
}
