import type { BusyReport, UsageReport } from "@tessera/wire";
import type { Column } from "../../output/column.ts";

type Row = UsageReport["rows"][number];

/** Leased time of one row of a usage report, parted by what samples say of it. */
interface Parted {
  readonly measuredMs: number;
  readonly busyMs: number;
  readonly unmeasuredMs: number;
  readonly simulated: boolean;
}

const unitsPerGpu = 21_000n;
const hourMs = 3_600_000;

/** Columns that part leased GPU-hours. `total`: the key of the row that adds up the others. */
export function busyColumns(usage: UsageReport, busy: BusyReport, total: string): readonly Column<Row>[] {
  const parted = partedRows(usage, busy);
  parted.set(total, sumOf([...parted.values()]));
  const of = ({ key }: Row) => parted.get(key)!;
  const hours = (name: string, read: (row: Parted) => number | undefined): Column<Row> => ({
    name,
    text: (row) => hoursText(read(of(row))),
    raw: (row) => inHours(read(of(row))),
    right: true,
  });
  return [
    hours("measured", ({ measuredMs }) => measuredMs || undefined),
    hours("busy", ({ measuredMs, busyMs }) => (measuredMs === 0 ? undefined : busyMs)),
    {
      name: "busy-share",
      text: (row) => shareText(of(row)),
      raw: (row) => shareOf(of(row)),
      style: (row) => ((shareOf(of(row)) ?? 1) < 0.05 ? "yellow" : undefined),
      right: true,
    },
    hours("not-measured", ({ unmeasuredMs }) => unmeasuredMs),
    { name: "note", text: (row) => (of(row).simulated ? "simulated" : ""), hidesEmpty: true },
  ];
}

/** A sample can reach a little beyond the lease that it belongs to: no more counts than was leased. */
function partedRows(usage: UsageReport, busy: BusyReport): Map<string, Parted> {
  const byKey = new Map(busy.rows.map((row) => [row.key, row]));
  return new Map(
    usage.rows.map(({ key, unitMs }) => {
      const leasedMs = Number(BigInt(unitMs) / unitsPerGpu);
      const found = byKey.get(key);
      const measuredMs = Math.min(found?.measuredMs ?? 0, leasedMs);
      const busyMs = Math.min(found?.busyMs ?? 0, measuredMs);
      return [key, { measuredMs, busyMs, unmeasuredMs: leasedMs - measuredMs, simulated: found?.simulated ?? false }];
    }),
  );
}

function sumOf(rows: readonly Parted[]): Parted {
  const sum = (of: (row: Parted) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    measuredMs: sum(({ measuredMs }) => measuredMs),
    busyMs: sum(({ busyMs }) => busyMs),
    unmeasuredMs: sum(({ unmeasuredMs }) => unmeasuredMs),
    simulated: rows.some(({ simulated }) => simulated),
  };
}

/** Nothing measured is not 0 % busy. */
function shareOf({ busyMs, measuredMs }: Parted): number | undefined {
  return measuredMs === 0 ? undefined : busyMs / measuredMs;
}

function shareText(row: Parted): string {
  const share = shareOf(row);
  return share === undefined ? "-" : `${(share * 100).toFixed(1)}%`;
}

function inHours(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / hourMs;
}

/** Two digits; four for what would otherwise look like nothing. */
function hoursText(ms: number | undefined): string {
  const hours = inHours(ms);
  return hours === undefined ? "-" : hours.toFixed(hours > 0 && hours < 0.01 ? 4 : 2);
}
