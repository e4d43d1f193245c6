import { listValueOf, type PriceVersion, type ReadonlyState, smallerShape, unitMsIn, unitsPerGpu } from "@tessera/core";
import type { WasteReport } from "@tessera/wire";
import type { UsageRow } from "../../store/port.ts";
import type { LeaseActivity } from "./activity.ts";

type Oversized = WasteReport["oversized"][number];

/** Only those that wasted most are told. */
const toldMax = 20;

/** The whole GPUs of a job in a span. */
interface Held {
  readonly row: UsageRow;
  /** GPUs by lease. */
  readonly gpus: Map<string, Set<string>>;
  unitMs: bigint;
}

/** Jobs whose members held whole GPUs, and would have done with fewer or with a part of one. */
export function oversizedOf(
  used: readonly UsageRow[],
  activity: ReadonlyMap<string, LeaseActivity>,
  { fleet }: Pick<ReadonlyState, "fleet">,
  list: PriceVersion | undefined,
  span: { readonly from: number; readonly to: number },
): Oversized[] {
  const memoryOf = new Map<string, number>();
  for (const node of fleet.nodes)
    for (const { model, memoryMiB } of node?.facts.gpus ?? []) memoryOf.set(model, memoryMiB);
  const told = [...heldByJob(used, activity, span)].flatMap((held) => {
    const found = judge(held, activity, memoryOf.get(held.row.model) ?? 0, list);
    return found === undefined ? [] : [found];
  });
  return told.sort((a, b) => (BigInt(a.savesUnitMs) < BigInt(b.savesUnitMs) ? 1 : -1)).slice(0, toldMax);
}

function heldByJob(
  used: readonly UsageRow[],
  activity: ReadonlyMap<string, LeaseActivity>,
  span: { readonly from: number; readonly to: number },
): Iterable<Held> {
  const jobs = new Map<string, Held>();
  for (const row of used) {
    if (row.units !== unitsPerGpu || row.state !== "running" || !activity.has(row.lease)) continue;
    const held = jobs.get(row.job) ?? { row, gpus: new Map<string, Set<string>>(), unitMs: 0n };
    jobs.set(row.job, held);
    held.unitMs += unitMsIn(row, span);
    const gpus = held.gpus.get(row.lease);
    if (gpus === undefined) held.gpus.set(row.lease, new Set([row.gpu]));
    else gpus.add(row.gpu);
  }
  return jobs.values();
}

function judge(
  { row, gpus: byLease, unitMs }: Held,
  activity: ReadonlyMap<string, LeaseActivity>,
  memoryMiB: number,
  list: PriceVersion | undefined,
): Oversized | undefined {
  const seen = [...byLease.keys()].map((lease) => activity.get(lease)!);
  const measuredMs = seen.reduce((sum, each) => sum + each.measuredMs, 0);
  const peaks = seen.flatMap(({ memoryPeakMiB }) => memoryPeakMiB ?? []);
  // What was not measured may have needed all of it [S35].
  if (measuredMs === 0 || peaks.length < seen.length || memoryMiB === 0) return undefined;
  const busyMs = seen.reduce((sum, each) => sum + each.busyMs, 0);
  const gpus = Math.max(...[...byLease.values()].map((each) => each.size));
  const memoryPeakMiB = Math.max(...peaks);
  const perMyriad = Math.min(10_000, Math.ceil((busyMs * 10_000) / measuredMs));
  const smaller = smallerShape({ model: row.model, memoryMiB, gpus, memoryPeakMiB, activity: perMyriad });
  if (smaller === undefined) return undefined;
  const saves = unitMs - (unitMs * BigInt(smaller.units)) / BigInt(gpus * unitsPerGpu);
  return {
    job: row.job,
    account: row.account,
    held: `${row.model}:${gpus}`,
    memoryHeldMiB: memoryMiB,
    memoryPeakMiB,
    activity: perMyriad / 100,
    smaller: smaller.gpus,
    savesUnitMs: String(saves),
    savesMicros: String(listValueOf(saves, row.model, list)),
  };
}
