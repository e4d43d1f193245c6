import type { RunOrder, RunResult, Setting } from "./many.ts";
import type { Mark } from "./run.ts";

export interface Spread {
  readonly mean: number;
  readonly sd: number;
}

/** The runs of one policy at one share of the demand; all in percent. */
export interface Row {
  readonly policy: string;
  readonly arrived: number;
  readonly runs: number;
  readonly allocation: Spread;
  readonly fragment: Spread;
  readonly fragment_of_idle: Spread;
  readonly failed: {
    readonly multi_gpu: Spread;
    readonly one_gpu: Spread;
    readonly fractional: Spread;
    readonly cpu_only: Spread;
  };
  /** Computing time of one run. */
  readonly run_ms: Spread;
}

/** Mean and standard deviation over the seeds, for each policy and each share of the demand. */
export function rowsOf(setting: Setting, orders: readonly RunOrder[], results: readonly RunResult[]): Row[] {
  const policies = [...new Set(orders.map(({ policy }) => policy))];
  return policies.flatMap((policy) => {
    const runs = results.filter((_, at) => orders[at]!.policy === policy);
    return setting.arrivedPercents.map((arrived, at): Row => {
      const spread = (of: (mark: Mark) => number) => spreadOf(runs.map(({ marks }) => of(marks[at]!)));
      return {
        policy,
        arrived,
        runs: runs.length,
        allocation: spread(({ allocation }) => allocation),
        fragment: spread(({ fragment }) => fragment),
        fragment_of_idle: spread(({ fragmentOfIdle }) => fragmentOfIdle),
        failed: {
          multi_gpu: spread(({ failed }) => failed.multi),
          one_gpu: spread(({ failed }) => failed.one),
          fractional: spread(({ failed }) => failed.share),
          cpu_only: spread(({ failed }) => failed.cpu),
        },
        run_ms: spreadOf(runs.map(({ ms }) => ms)),
      };
    });
  });
}

/** The rows as a table for people. */
export function tableOf(rows: readonly Row[]): string {
  const text = ({ mean, sd }: Spread) => `${mean.toFixed(2)} ±${sd.toFixed(2)}`;
  const mean = (spread: Spread) => spread.mean.toFixed(2);
  const lines = [
    ["policy", "arrived", "allocation", "fragment", "multi-GPU", "one-GPU", "fractional", "CPU-only"],
    ...rows.map(({ policy, arrived, allocation, fragment, failed }) => [
      policy,
      `${arrived}`,
      text(allocation),
      text(fragment),
      mean(failed.multi_gpu),
      mean(failed.one_gpu),
      mean(failed.fractional),
      mean(failed.cpu_only),
    ]),
  ];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const head =
    "All in percent: demand arrived, allocated and fragment of all GPUs; then failed of the tasks of each kind.";
  return [
    head,
    ...lines.map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    ),
  ].join("\n");
}

function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const sd = values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
  const round = (value: number) => Math.round(value * 1000) / 1000;
  return { mean: round(mean), sd: round(sd) };
}
