import type { Table } from "./csv.ts";

/** What is known of all jobs of one cluster together; times in seconds. */
export interface ClusterSummary {
  readonly cluster: string;
  readonly gpuJobs: number;
  readonly runSMean: number;
  readonly runSMedian: number;
  readonly waitSMean: number;
  readonly waitSMedian: number;
  readonly gpusMean: number;
  readonly gpusMax: number;
}

export const summaryColumns = ["id", "gpu_job_num", "avg_run_time_gpu", "avg_que_time_gpu", "avg_gpu_num"] as const;

/** The rows of a table of summaries such as that of acme-summary; a figure that a cluster does not tell is NaN. */
export function summariesOf(table: Table): ClusterSummary[] {
  const figures = (name: string) =>
    table.texts(name).map((text, row) => {
      const number = text === "" ? Number.NaN : Number(text);
      if (text !== "" && !(number >= 0)) throw table.bad(name, row, "write a number that is not negative, or nothing");
      return number;
    });
  const [gpuJobs, runMean, runMedian, waitMean] = [
    figures("gpu_job_num"),
    figures("avg_run_time_gpu"),
    figures("med_run_time_gpu"),
    figures("avg_que_time_gpu"),
  ];
  const [waitMedian, gpusMean, gpusMax] = [figures("med_que_time_gpu"), figures("avg_gpu_num"), figures("max_gpu")];
  return table.texts("id").map((cluster, row) => ({
    ...{ cluster, gpuJobs: gpuJobs[row]!, runSMean: runMean[row]!, runSMedian: runMedian[row]! },
    ...{ waitSMean: waitMean[row]!, waitSMedian: waitMedian[row]!, gpusMean: gpusMean[row]!, gpusMax: gpusMax[row]! },
  }));
}
