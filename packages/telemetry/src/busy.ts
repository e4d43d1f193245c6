import { absent } from "./columns.ts";
import { baseMs, type Level } from "./file.ts";
import { type BusyQuery, type BusyRow, TelemetryTooWide } from "./port.ts";
import { chunkQueries, groupOf, type Kept, rowsReadMax, viewFor } from "./select.ts";
import type { Columns } from "./table.ts";

const unitsPerGpu = 21_000;
const tenThousand = 10_000;

interface Sums {
  shareMs: number;
  leasedMs: number;
  activeMs: number;
  busyMs: number;
  idleMs: number;
  peakMiB: number;
  /** Milliwatts x milliseconds, weighed by shares. */
  energy: number;
  energyKnown: boolean;
  real: boolean;
}

/** How long GPUs were busy between two times: whole hours where they have been made, minutes for the rest. */
export function busyOf(kept: Kept, query: BusyQuery): BusyRow[] {
  const groups = new Map<string, Sums>();
  for (const { rows, stretch } of rowsFor(kept, query)) add(groups, rows, query, stretch);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sums]) => answer(key, sums));
}

type Stretch = Pick<BusyQuery, "from" | "to">;

/** Rows, and the stretch of time of which they are read: a chunk may reach beyond it. */
function* rowsFor(kept: Kept, query: BusyQuery): Generator<{ readonly rows: Columns; readonly stretch: Stretch }> {
  const queries = stretches(kept, query).flatMap(({ level, ...stretch }) =>
    chunkQueries(kept, { ...query, ...stretch }, level),
  );
  const rows = queries.reduce((sum, each) => sum + kept.file.rows(each), 0);
  if (rows > rowsReadMax) throw new TelemetryTooWide("too many samples for one answer");
  for (const each of queries) for (const chunk of kept.file.read(each)) yield { rows: chunk, stretch: each };
  const view = viewFor(query);
  for (const buffer of kept.buffers) yield { rows: buffer.at(view), stretch: query };
}

/** The hours that lie within the time asked for, and what is left of it on both sides. */
function stretches({ file }: Kept, query: BusyQuery): (Stretch & { readonly level: Level })[] {
  const { from, to } = query;
  const hour = baseMs[2];
  const minutesFrom = file.oldest(1, viewFor(query)) ?? Number.POSITIVE_INFINITY;
  // Where the minutes are gone, the hour in which the time begins counts as a whole.
  const first = (from < minutesFrom - baseMs[1] ? Math.floor(from / hour) : Math.ceil(from / hour)) * hour;
  const last = Math.min(Math.floor(to / hour) * hour, file.hourMark);
  if (first >= last) return [{ level: 1, from, to }];
  const all = [
    { level: 1 as const, from, to: first },
    { level: 2 as const, from: first, to: last },
    { level: 1 as const, from: last, to },
  ];
  return all.filter((stretch) => stretch.from < stretch.to);
}

function add(groups: Map<string, Sums>, rows: Columns, { by, filter }: BusyQuery, { from, to }: Stretch): void {
  const sumsOf = rows.keys.map((key) => {
    const group = groupOf(by, filter, key);
    if (group === undefined) return undefined;
    const sums = groups.get(group) ?? nothing();
    groups.set(group, sums);
    if (key.source !== "simulated" && key.source !== "virtual") sums.real = true;
    return sums;
  });
  if (sumsOf.every((sums) => sums === undefined)) return;
  const [key, at, ms, share] = [rows.column("key"), rows.column("at"), rows.column("ms"), rows.column("share")];
  const [active, idle] = [rows.column("active"), rows.column("idle")];
  const [sm, peak, energy] = [rows.column("sm"), rows.column("memoryPeakMiB"), rows.column("energyMilliwatts")];
  for (let row = 0; row < rows.count; row++) {
    const sums = sumsOf[key[row]!];
    if (sums === undefined || at[row]! <= from || at[row]! > to) continue;
    const weight = share[row]! * ms[row]!;
    sums.shareMs += weight;
    if (rows.keys[key[row]!]!.account !== undefined) sums.leasedMs += weight;
    sums.activeMs += active[row]! * ms[row]!;
    sums.idleMs += idle[row]! * ms[row]!;
    const activity = sm?.[row] ?? absent;
    if (activity !== absent) sums.busyMs += (active[row]! * ms[row]! * activity) / tenThousand;
    sums.peakMiB = Math.max(sums.peakMiB, peak?.[row] ?? absent);
    const watts = energy?.[row] ?? absent;
    if (watts === absent) continue;
    sums.energy += watts * weight;
    sums.energyKnown = true;
  }
}

function nothing(): Sums {
  return {
    ...{ shareMs: 0, leasedMs: 0, activeMs: 0, busyMs: 0, idleMs: 0, peakMiB: absent },
    ...{ energy: 0, energyKnown: false, real: false },
  };
}

function answer(key: string, sums: Sums): BusyRow {
  const gpuMs = (units: number) => Math.round(units / unitsPerGpu);
  return {
    key,
    sampledMs: gpuMs(sums.shareMs),
    leasedMs: gpuMs(sums.leasedMs),
    measuredMs: gpuMs(sums.activeMs),
    busyMs: gpuMs(sums.busyMs),
    idleMs: gpuMs(sums.idleMs),
    ...(sums.peakMiB !== absent && { memoryPeakMiB: sums.peakMiB }),
    ...(sums.energyKnown && { energyMillijoules: Math.round(sums.energy / unitsPerGpu / 1000) }),
    ...(!sums.real && { simulated: true }),
  };
}
