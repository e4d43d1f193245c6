import type { Batch } from "./buffer.ts";
import { absent, metricNames, packMetrics, whole } from "./columns.ts";
import type { MemberRow, TelemetryRow } from "./row.ts";
import type { RowKey } from "./table.ts";

const unitsPerGpu = 21_000;
/** A line without rows for this long is forgotten; when it comes back it is a new one. */
const idleMsMax = 10 * 60_000;

interface Counter {
  readonly at: number;
  readonly millijoules: number;
  readonly milliwatts: number;
}

/** Rows as numbers that can be handed to another thread without being copied. Texts go over once for each line. */
export class Packer {
  readonly #lines = new Map<string, { readonly no: number; usedAt: number }>();
  readonly #counters = new Map<string, Counter>();
  #nextNo = 0;
  #sweptAt = 0;
  #newLines: [number, RowKey][] = [];

  pack(rows: readonly TelemetryRow[], members: readonly MemberRow[]) {
    const count = rows.length + members.length;
    const batch: Batch = {
      lines: new Int32Array(count),
      at: new Float64Array(count),
      spanMs: new Float64Array(count),
      share: new Float64Array(count),
      metrics: new Int32Array(count * metricNames.length),
    };
    for (const [index, row] of rows.entries()) this.#packRow(batch, index, row);
    for (const [index, member] of members.entries()) this.#packMember(batch, rows.length + index, member);
    const lines = this.#newLines;
    this.#newLines = [];
    return { batch, lines, over: this.#sweep(rows[0]?.at ?? members[0]?.at ?? 0) };
  }

  /** The other side knows no line any more. */
  forgetLines(): void {
    this.#lines.clear();
  }

  #packRow(batch: Batch, index: number, row: TelemetryRow): void {
    const { at, spanMs, share, metrics, apart } = row;
    batch.lines[index] = this.#lineOf(row, `${row.gpu}\0${row.instance ?? ""}\0${row.lease ?? ""}`);
    batch.at[index] = Math.round(at);
    batch.spanMs[index] = Math.round(spanMs);
    batch.share[index] = Math.round(share);
    const scale = apart && share > 0 ? unitsPerGpu / share : 1;
    packMetrics(metrics, this.#energy(row), scale, batch.metrics, index * metricNames.length);
  }

  #packMember(batch: Batch, index: number, member: MemberRow): void {
    batch.lines[index] = this.#lineOf(member, member.lease);
    batch.at[index] = Math.round(member.at);
    batch.spanMs[index] = Math.round(member.spanMs);
    const from = index * metricNames.length;
    batch.metrics.fill(absent, from, from + metricNames.length);
    batch.metrics[from + cpusColumn] = whole(member.cpusMilli);
    batch.metrics[from + memoryColumn] = whole(member.memoryMiB);
  }

  #lineOf(row: TelemetryRow | MemberRow, name: string): number {
    const known = this.#lines.get(name);
    if (known !== undefined) {
      known.usedAt = row.at;
      return known.no;
    }
    const no = this.#nextNo++;
    this.#lines.set(name, { no, usedAt: row.at });
    this.#newLines.push([no, keyOf(row)]);
    return no;
  }

  /** The mean power since the sample before, by the counter where there is one. */
  #energy({ gpu, at, metrics }: TelemetryRow): number {
    const { energyMillijoules, powerMilliwatts } = metrics;
    if (energyMillijoules === undefined) return whole(powerMilliwatts);
    const before = this.#counters.get(gpu);
    if (before?.at === at) return before.milliwatts;
    const grown = before !== undefined && at > before.at && energyMillijoules >= before.millijoules;
    const milliwatts = grown
      ? whole((energyMillijoules - before.millijoules) / (at - before.at), 1000)
      : whole(powerMilliwatts);
    this.#counters.set(gpu, { at, millijoules: energyMillijoules, milliwatts });
    return milliwatts;
  }

  #sweep(now: number): number[] {
    if (now < this.#sweptAt + idleMsMax) return [];
    this.#sweptAt = now;
    const over: number[] = [];
    for (const [name, { no, usedAt }] of this.#lines) {
      if (usedAt >= now - idleMsMax) continue;
      this.#lines.delete(name);
      over.push(no);
    }
    for (const [gpu, { at }] of this.#counters) if (at < now - idleMsMax) this.#counters.delete(gpu);
    return over;
  }
}

const cpusColumn = metricNames.indexOf("cpusMilli");
const memoryColumn = metricNames.indexOf("memoryMiB");

function keyOf(row: TelemetryRow | MemberRow): RowKey {
  const { node, model, source, lease, job, rank, account, user } = row;
  const whose = { lease, job, rank, account, user };
  const what = { node, ...("gpu" in row && { gpu: row.gpu, instance: row.instance }), model, source };
  return Object.fromEntries(Object.entries({ ...what, ...whose }).filter(([, value]) => value !== undefined));
}
