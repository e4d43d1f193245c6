import { readTable } from "./csv.ts";

/** One job of a trace with tenants: a gang that starts together, and its run time. */
export interface TenantJob {
  readonly name: string;
  readonly tenant: string;
  readonly submitAt: number;
  readonly gpus: number;
  readonly runMs: number;
}

/**
 * Jobs of one month (`2017-10`), or of all, of a Philly job table, in order of submission, named by their row; its text times are
 * read as UTC.
 */
export function readPhilly(path: string, month?: string): TenantJob[] {
  const table = readTable(path);
  const [timestamps, submits, tenants] = [
    table.texts("timestamp"),
    table.instants("timestamp"),
    table.texts("cluster"),
  ];
  const [durations, gpus] = [table.numbers("duration"), table.wholes("num_gpus", 1)];
  const jobs: TenantJob[] = [];
  for (const [row, timestamp] of timestamps.entries()) {
    if (month !== undefined && !timestamp.startsWith(`${month}-`)) continue;
    jobs.push({
      name: String(row + 1),
      tenant: tenants[row]!,
      submitAt: submits[row]!,
      gpus: gpus[row]!,
      runMs: Math.round(durations[row]! * 1_000),
    });
  }
  return jobs.sort((a, b) => a.submitAt - b.submitAt);
}
