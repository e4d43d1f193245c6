import type { Table } from "./csv.ts";

/** How fast a training job runs alone on `gpus` GPUs of one kind. */
export interface Throughput {
  readonly gpu: string;
  readonly job: string;
  readonly gpus: number;
  readonly stepsPerS: number;
}

/** How fast two jobs run on the same GPUs; both 0 where they do not fit together. */
export interface PairThroughput {
  readonly gpu: string;
  readonly jobs: readonly [string, string];
  readonly gpus: readonly [number, number];
  readonly stepsPerS: readonly [number, number];
}

export const throughputColumns = ["gpu_type", "job_type", "scale_factor", "steps_per_s"] as const;
export const pairColumns = ["gpu_type", "job_a", "job_b", "steps_per_s_a", "steps_per_s_b"] as const;

/** Measured speeds of jobs that are alone, as in gavel-throughputs. */
export function throughputsOf(table: Table): Throughput[] {
  const [kinds, jobs] = [table.texts("gpu_type"), table.texts("job_type")];
  const [gpus, speeds] = [table.wholes("scale_factor"), table.numbers("steps_per_s")];
  return kinds.map((gpu, row) => ({ gpu, job: jobs[row]!, gpus: gpus[row]!, stepsPerS: speeds[row]! }));
}

/** Measured speeds of pairs. */
export function pairThroughputsOf(table: Table): PairThroughput[] {
  const [kinds, a, b] = ["gpu_type", "job_a", "job_b"].map((name) => table.texts(name));
  const [gpusA, gpusB] = [table.wholes("scale_a"), table.wholes("scale_b")];
  const [speedA, speedB] = [table.numbers("steps_per_s_a"), table.numbers("steps_per_s_b")];
  return kinds!.map((gpu, row) => ({
    gpu,
    jobs: [a![row]!, b![row]!],
    gpus: [gpusA[row]!, gpusB[row]!],
    stepsPerS: [speedA[row]!, speedB[row]!],
  }));
}
