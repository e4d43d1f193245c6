import {
  type Charge,
  type Instant,
  type InvoiceLine,
  type LineKey,
  latestOf,
  type Period,
  type PriceVersion,
  type Usage,
} from "@tessera/core";
import type { LineExplanation } from "@tessera/wire";
import { timestamp } from "../../render/quantities.ts";
import type { ControlPlane } from "../control.ts";
import { bookOf, ratePeriod } from "./bill.ts";

/** The priced hours of a line, and the stretches of leases that it was charged for. */
export async function explainLine(
  { reader, state }: Pick<ControlPlane, "reader" | "state">,
  line: InvoiceLine,
  period: Period,
  now: Instant,
): Promise<Pick<LineExplanation, "hours" | "stretches">> {
  const charges: Charge[] = [];
  const book = bookOf(state);
  const { metered } = await ratePeriod(reader, state, period, now, book, (charge) => {
    if (isSameLine(charge, line)) charges.push(charge);
  });
  const version = book.versions.find(({ id }) => id === line.version);
  const lost = new Set(metered.lost.filter(({ account }) => account === line.account).map(({ lease }) => lease));
  const behind = latestOf(metered.usage).filter((usage) => isBehind(line, usage, version, lost));
  const spans = line.kind === "lost-work" ? [period] : joined(charges);
  return {
    hours: charges.map(({ fromAt, toAt, quantity, micros }) => ({
      from: timestamp(fromAt),
      to: timestamp(toAt),
      quantity: String(quantity),
      micros: String(micros),
    })),
    stretches: behind.flatMap((usage) => spans.flatMap((span) => cutTo(usage, span))),
  };
}

const keyFields = [
  ...(["kind", "account", "model", "profile", "isolation", "topology", "version", "perMille"] as const),
  ...(["pool", "poolPerMille"] as const),
];

const gpuFields = ["model", "profile", "isolation", "topology", "pool", "poolPerMille"] as const;

function isSameLine(a: LineKey, b: LineKey): boolean {
  return keyFields.every((field) => a[field] === b[field]);
}

/** Whether a usage is of the kind that this line charges. A floor, a credit and a share of the fleet have no leases. */
function isBehind(line: LineKey, usage: Usage, version: PriceVersion | undefined, lost: ReadonlySet<string>): boolean {
  if (usage.account !== line.account || version?.unbilled.includes(usage.state)) return false;
  switch (line.kind) {
    case "burst":
      return usage.state !== "stranded" && isSameGpu(line, usage);
    case "stranded":
      return usage.state === "stranded" && isSameGpu(line, usage);
    case "cpu":
      return usage.cpusMilli > 0;
    case "memory":
      return usage.memoryMiB > 0;
    case "lost-work":
      return lost.has(usage.lease) && usage.model === line.model;
    default:
      return false;
  }
}

function isSameGpu(line: LineKey, usage: Usage): boolean {
  return gpuFields.every((field) => usage[field] === line[field]);
}

/** The hours as spans; hours without a gap between them are one. */
function joined(charges: readonly Charge[]): { fromAt: Instant; toAt: Instant }[] {
  const spans: { fromAt: Instant; toAt: Instant }[] = [];
  for (const { fromAt, toAt } of charges.toSorted((a, b) => a.fromAt - b.fromAt)) {
    const last = spans.at(-1);
    if (last !== undefined && fromAt <= last.toAt) last.toAt = Math.max(last.toAt, toAt);
    else spans.push({ fromAt, toAt });
  }
  return spans;
}

function cutTo(
  { job, lease, state, node, gpus, ...usage }: Usage,
  span: { readonly fromAt: Instant; readonly toAt: Instant },
): LineExplanation["stretches"] {
  const fromAt = Math.max(usage.fromAt, span.fromAt);
  const toAt = Math.min(usage.toAt, span.toAt);
  if (fromAt >= toAt) return [];
  return [{ job, lease, state, node, gpus: gpus.length, from: timestamp(fromAt), to: timestamp(toAt) }];
}
