import type { GangJob } from "../compare/compare.ts";
import { readTable } from "./csv.ts";

/** A gang of a trace without tenants. */
export interface NamedGang extends GangJob {
  readonly name: string;
}

/** Where a trace counts seconds from its own beginning, that is taken to be here; 0 means "never" in the core. */
export const traceEpoch = Date.UTC(2026, 0, 1);

/** Jobs of an ITP cluster, by submission and name. */
export function readItp(path: string): NamedGang[] {
  const table = readTable(path);
  const names = table.texts("job_id");
  const [submissions, durations, gpus] = [
    table.numbers("submission_time"),
    table.numbers("duration"),
    table.wholes("num_gpu", 1),
  ];
  return names
    .map((name, row) => ({
      name,
      submitAt: traceEpoch + Math.round(submissions[row]! * 1_000),
      gpus: gpus[row]!,
      runMs: Math.round(durations[row]! * 1_000),
    }))
    .sort((a, b) => a.submitAt - b.submitAt || (a.name < b.name ? -1 : 1));
}
