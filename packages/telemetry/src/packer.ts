import type { Batch } from "./batch.ts";
import { metricNames, packMetrics, whole } from "./columns.ts";
import type { GpuLines, Lines } from "./lines.ts";
import type { MemberRow, TelemetryRow } from "./row.ts";
import type { RowKey } from "./table.ts";

const unitsPerGpu = 21_000;
const int32Max = 0x7fff_ffff;
const cpusColumn = metricNames.indexOf("cpusMilli");
const memoryColumn = metricNames.indexOf("memoryMiB");

/** Rows on their way to the other thread. */
export interface PackedRows {
  readonly batches: readonly Batch[];
  /** Lines that are new, by their numbers, and those that are over. */
  readonly lines: readonly (readonly [number, RowKey])[];
  readonly over: readonly number[];
}

/** Rows as numbers that can be handed to another thread without being copied. Texts go over once for each line. */
export function packRows(lines: Lines, rows: readonly TelemetryRow[], members: readonly MemberRow[]): PackedRows {
  const newLines: [number, RowKey][] = [];
  const batches = [packGpus(lines, rows, newLines), packMembers(lines, members, newLines)];
  return { batches: batches.filter(({ count }) => count > 0), lines: newLines, over: lines.sweep() };
}

function packGpus(lines: Lines, rows: readonly TelemetryRow[], newLines: [number, RowKey][]): Batch {
  const columns = metricNames.slice(0, cpusColumn).map(() => new Int32Array(rows.length));
  const batch = batchOf(rows.length, columns);
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!;
    const gpu = lines.gpuOf(row);
    const line = lines.lineOf(gpu, row);
    if (lines.isNamedNow(line)) newLines.push([line.no, keyOf(row)]);
    batch.lines[index] = line.no;
    batch.at[index] = Math.round(row.at);
    batch.spanMs[index] = Math.min(Math.round(row.spanMs), int32Max);
    batch.share[index] = Math.round(row.share);
    const scale = row.apart && row.share > 0 ? unitsPerGpu / row.share : 1;
    packMetrics(row.metrics, meanPower(gpu, row), scale, columns, index);
  }
  return batch;
}

function packMembers(lines: Lines, members: readonly MemberRow[], newLines: [number, RowKey][]): Batch {
  const [cpus, memory] = [new Int32Array(members.length), new Int32Array(members.length)];
  const columns: Batch["metrics"] = metricNames.map(() => undefined);
  columns[cpusColumn] = cpus;
  columns[memoryColumn] = memory;
  const batch = batchOf(members.length, columns);
  for (const [index, row] of members.entries()) {
    const line = lines.memberOf(row);
    if (lines.isNamedNow(line)) newLines.push([line.no, keyOf(row)]);
    batch.lines[index] = line.no;
    batch.at[index] = Math.round(row.at);
    batch.spanMs[index] = Math.min(Math.round(row.spanMs), int32Max);
    cpus[index] = whole(row.cpusMilli);
    memory[index] = whole(row.memoryMiB);
  }
  return batch;
}

function batchOf(count: number, metrics: Batch["metrics"]): Batch {
  return {
    count,
    lines: new Int32Array(count),
    at: new Float64Array(count),
    spanMs: new Int32Array(count),
    share: new Int32Array(count),
    metrics,
  };
}

/** The mean power since the sample before, by the counter of energy where there is one. */
function meanPower(gpu: GpuLines, { at, metrics }: TelemetryRow): number {
  const { energyMillijoules, powerMilliwatts } = metrics;
  if (energyMillijoules === undefined) return whole(powerMilliwatts);
  const before = gpu.energy;
  if (before?.at === at) return before.milliwatts;
  const grown = before !== undefined && at > before.at && energyMillijoules >= before.millijoules;
  const milliwatts = grown
    ? whole((energyMillijoules - before.millijoules) / (at - before.at), 1000)
    : whole(powerMilliwatts);
  gpu.energy = { at, millijoules: energyMillijoules, milliwatts };
  return milliwatts;
}

function keyOf(row: TelemetryRow | MemberRow): RowKey {
  const { node, model, source, lease, job, rank, account, user } = row;
  const whose = { lease, job, rank, account, user };
  const what = { node, ...("gpu" in row && { gpu: row.gpu, instance: row.instance }), model, source };
  return Object.fromEntries(Object.entries({ ...what, ...whose }).filter(([, value]) => value !== undefined));
}
