import { gangSpec } from "../simulate/gang.ts";
import type { Arrival } from "../simulate/setting.ts";
import type { DemandDay } from "../trace/helios.ts";

export interface Team {
  readonly account: string;
  /** GPUs asked for at even steps of each day. */
  readonly demand: readonly number[];
}

const dayMs = 86_400_000;
const checkpointMs = 1_800_000;
/** Shares of gang sizes among jobs, as on training fleets: most are small, most GPU time is in the large. */
const gangs: readonly (readonly [gpus: number, share: number])[] = [
  [1, 0.42],
  [2, 0.1],
  [4, 0.12],
  [8, 0.24],
  [16, 0.06],
  [32, 0.04],
  [64, 0.02],
];
const runMsMin = 300_000;
const runMsMax = 2 * dayMs;

/** Each team gets a day of a table for each day, all scaled so that together they ask for `load` of the GPUs. */
export function teamsOf(
  paths: readonly string[],
  days: readonly DemandDay[],
  fleet: { readonly days: number; readonly gpus: number; readonly load: number },
  random: () => number,
): Team[] {
  const draw = () => days[Math.floor(random() * days.length)]!;
  const drawn = paths.map(() => Array.from({ length: fleet.days }, draw).flat());
  const asked = drawn.flat().reduce((a, b) => a + b, 0) / drawn[0]!.length;
  const scale = (fleet.load * fleet.gpus) / asked;
  return paths.map((account, i) => ({ account, demand: drawn[i]!.map((each) => each * scale) }));
}

interface Following {
  readonly startAt: number;
  readonly days: number;
  /** The median run time, which decides how many jobs that makes. */
  readonly medianMs: number;
  readonly random: () => number;
  /** With fewer GPUs lacking than this nothing is submitted: otherwise single GPUs fill every small gap of a large team. */
  readonly lackingMin?: number;
}

/** Jobs that follow the demand of each team: whenever less is asked for than its day says, more is submitted. */
export function followDemand(
  teams: readonly Team[],
  { startAt, days, medianMs, random, lackingMin = 1 }: Following,
): Arrival[] {
  const arrivals: Arrival[] = [];
  for (const { account, demand } of teams) {
    const stepMs = (days * dayMs) / demand.length;
    let live: { endAt: number; gpus: number }[] = [];
    for (const [step, target] of demand.entries()) {
      const from = startAt + step * stepMs;
      live = live.filter(({ endAt }) => endAt > from);
      let lacking = target - live.reduce((sum, { gpus }) => sum + gpus, 0);
      while (lacking >= lackingMin) {
        const gpus = drawGang(lacking, random);
        const runMs = drawRun(medianMs, random);
        // The fleet is found at work: what runs when the day begins has begun before.
        const submitAt = Math.round(from + (step === 0 ? 0 : random() * stepMs));
        const leftMs = step === 0 ? Math.max(60_000, Math.round(runMs * random())) : runMs;
        const spec = gangSpec({ gpus, gpusPerNode: 8, ...(random() < 1 / 3 && { checkpointMs }) });
        arrivals.push({ name: "", account, spec, submitAt, runMs: leftMs });
        live.push({ endAt: submitAt + leftMs, gpus });
        lacking -= gpus;
      }
    }
  }
  arrivals.sort((a, b) => a.submitAt - b.submitAt);
  return arrivals.map((arrival, i) => ({ ...arrival, name: `job-${i + 1}` }));
}

/** A gang that does not go beyond what is lacking. */
function drawGang(lacking: number, random: () => number): number {
  const fitting = gangs.filter(([gpus]) => gpus <= lacking);
  let left = random() * fitting.reduce((sum, [, share]) => sum + share, 0);
  const drawn = fitting.find(([, share]) => {
    left -= share;
    return left < 0;
  });
  return (drawn ?? fitting.at(-1)!)[0];
}

/** Log-normal: half run shorter than the median, a few a day and more. */
function drawRun(medianMs: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.round(Math.min(runMsMax, Math.max(runMsMin, medianMs * Math.exp(1.1 * normal))));
}
