import { runPolicy } from "../compare/compare.ts";
import { deviation, mean, quantile, rounded, seconds } from "../simulate/figures.ts";
import { heldPart, type Result, waitMs } from "../simulate/result.ts";
import type { Setting } from "../simulate/setting.ts";
import { simulate } from "../simulate/simulate.ts";
import type { NamedGang } from "../trace/itp.ts";
import { gpusPerNode, guesses, itpSetting } from "./settings.ts";

const gangClasses = [
  { name: "1", most: 1 },
  { name: "2-4", most: 4 },
  { name: "8", most: 8 },
  { name: "16", most: 16 },
  { name: "32+", most: Number.POSITIVE_INFINITY },
] as const;

/** Waits of the gangs of one size, beside greedy backfill's. */
export interface ClassFigures {
  readonly gangs: string;
  readonly jobs: number;
  readonly p90S: number;
  readonly p99S: number;
  readonly greedyP90S: number;
  readonly greedyP99S: number;
  /** Relative to greedy backfill; null where no job waits there. */
  readonly p90Ratio: number | null;
  readonly p99Ratio: number | null;
}

export interface SeedFigures {
  readonly seed: number | null;
  readonly waitS: number;
  readonly ratio: number;
  readonly utilization: number;
  /** The largest wait of gangs of 32 and more. */
  readonly largestGangsWaitS: number;
  readonly classes: readonly ClassFigures[];
}

export interface ItpFigures {
  readonly jobs: number;
  readonly nodes: number;
  readonly compared: { readonly [policy: string]: number };
  readonly waitS: number;
  /** Average wait as a part of greedy backfill's, over the seeds. */
  readonly ratio: { readonly mean: number; readonly deviation: number; readonly largest: number };
  readonly seeds: readonly SeedFigures[];
  readonly wallS: number;
}

export interface ItpAsk {
  readonly jobs: readonly NamedGang[];
  readonly nodes: number;
  /** One run for each with guesses drawn from it; empty = one run without guesses. */
  readonly seeds: readonly number[];
  readonly watch: (what: string, setting: Setting) => Setting;
}

/** Gangs of one queue under the product's order, as ratios to greedy backfill; also the result of the first run. */
export function runItp({ jobs, nodes, seeds, watch }: ItpAsk): { figures: ItpFigures; first: Result } {
  const begun = performance.now();
  const compared: Record<string, number> = {};
  const waitsOf = (ends: Float64Array) => jobs.map(({ submitAt, runMs }, i) => ends[i]! - submitAt - runMs);
  for (const name of ["fifo", "greedy-backfill", "sjf", "srsf"] as const) {
    compared[name] = seconds(mean(waitsOf(runPolicy(name, jobs, nodes, gpusPerNode))));
  }
  const greedy = waitsOf(runPolicy("greedy-backfill", jobs, nodes, gpusPerNode));
  let first: Result | undefined;
  const runs = (seeds.length === 0 ? [null] : seeds).map((seed) => {
    const expected = seed === null ? undefined : guesses(jobs, seed);
    const what = seed === null ? "no guesses" : `seed ${seed}`;
    const result = simulate(watch(what, itpSetting(jobs, nodes, expected)));
    first ??= result;
    return seedFigures(seed, jobs, result, greedy);
  });
  const ratios = runs.map(({ ratio }) => ratio);
  const figures = {
    jobs: jobs.length,
    nodes,
    compared,
    waitS: rounded(mean(runs.map(({ waitS }) => waitS))),
    ratio: { mean: rounded(mean(ratios)), deviation: rounded(deviation(ratios)), largest: Math.max(...ratios) },
    seeds: runs,
    wallS: seconds(performance.now() - begun),
  };
  return { figures, first: first! };
}

function seedFigures(
  seed: number | null,
  jobs: readonly NamedGang[],
  result: Result,
  greedy: readonly number[],
): SeedFigures {
  const waits = result.jobs.map(waitMs);
  const large = waits.filter((_, i) => jobs[i]!.gpus >= 32);
  return {
    seed,
    waitS: seconds(mean(waits)),
    ratio: rounded(mean(waits) / mean(greedy)),
    utilization: rounded(heldPart(result)),
    largestGangsWaitS: seconds(large.length === 0 ? 0 : Math.max(...large)),
    classes: classFigures(jobs, waits, greedy),
  };
}

function classFigures(jobs: readonly NamedGang[], waits: readonly number[], greedy: readonly number[]): ClassFigures[] {
  return gangClasses.flatMap(({ name, most }, place) => {
    const least = gangClasses[place - 1]?.most ?? 0;
    const members = [...jobs.keys()].filter((i) => jobs[i]!.gpus > least && jobs[i]!.gpus <= most);
    if (members.length === 0) return [];
    const [own, theirs] = [waits, greedy].map((all) => members.map((i) => all[i]!));
    const [p90, p99] = [0.9, 0.99].map((part) => quantile(own!, part));
    const [greedyP90, greedyP99] = [0.9, 0.99].map((part) => quantile(theirs!, part));
    return [
      {
        gangs: name,
        jobs: members.length,
        p90S: seconds(p90!),
        p99S: seconds(p99!),
        greedyP90S: seconds(greedyP90!),
        greedyP99S: seconds(greedyP99!),
        p90Ratio: ratioOf(p90!, greedyP90!),
        p99Ratio: ratioOf(p99!, greedyP99!),
      },
    ];
  });
}

function ratioOf(own: number, theirs: number): number | null {
  return theirs === 0 ? null : rounded(own / theirs);
}
