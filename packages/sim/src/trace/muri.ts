import { readTable } from "./csv.ts";
import { type NamedGang, traceEpoch } from "./itp.ts";

/** Jobs of a Muri trace, by submission; the fields of its interleaving model are left aside. */
export function readMuri(path: string): NamedGang[] {
  const table = readTable(path);
  const names = table.texts("job_id");
  const [gpus, submits, iterations, times] = [
    table.wholes("num_gpu", 1),
    table.numbers("submit_time"),
    table.numbers("iterations"),
    table.numbers("iteration_time"),
  ];
  return names
    .map((name, row) => ({
      name,
      submitAt: traceEpoch + Math.round(submits[row]!),
      gpus: gpus[row]!,
      runMs: Math.max(1, Math.round(iterations[row]! * times[row]!)),
    }))
    .sort((a, b) => a.submitAt - b.submitAt);
}
