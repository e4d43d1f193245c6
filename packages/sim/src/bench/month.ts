import {
  type CapacityChange,
  day,
  type FloorChange,
  hour,
  minute,
  type PriceVersion,
  type PriceWindow,
  second,
  type Usage,
  unitsPerGpu,
} from "@tessera/core";
import { Dice } from "../prove/dice.ts";

interface MonthOptions {
  readonly jobs: number;
  readonly teams: number;
  readonly days: number;
  readonly seed: number;
}

/** A month of the target fleet: 50,000 GPUs of three models, 70 % of them guaranteed, teams with projects below. */
export function month({ jobs, teams, days, seed }: MonthOptions) {
  const fromAt = Date.UTC(2026, 10, 1);
  const dice = new Dice(seed);
  const models = ["H100-80GB", "A100-80GB", "L40S"];
  const gpusOf = [30_000, 15_000, 5_000];
  const capacity: CapacityChange[] = models.map((model, i) => ({
    ...{ model, at: fromAt - day, revision: i, unitsAdded: gpusOf[i]! * unitsPerGpu },
  }));
  const floors: FloorChange[] = Array.from({ length: teams }, (_, team) => {
    const guarantee: Record<string, number> = {};
    for (const [i, model] of models.entries()) {
      guarantee[model] = Math.floor((gpusOf[i]! * 0.7) / teams) * unitsPerGpu;
    }
    return { account: `team-${team}`, at: fromAt - day, revision: team, guarantee };
  });
  const jobsPerDay = Math.ceil(jobs / days);
  return {
    ...{ fromAt, floors, capacity, prices: pricesOf(fromAt - day), windows: nights(fromAt, days) },
    /** The jobs that start on one day. */
    day(no: number): { usage: Usage[]; leases: number } {
      const usage: Usage[] = [];
      let leases = 0;
      for (let i = 0; i < jobsPerDay && no * jobsPerDay + i < jobs; i++) {
        const job = `job_${no}x${i}`;
        const start = fromAt + no * day + dice.whole(0, day - 1);
        // Many are short, some run for days.
        const runMs = dice.chance(70) ? dice.whole(minute, 2 * hour) : dice.whole(hour, 2 * day);
        const members = dice.chance(85) ? 1 : dice.whole(2, 4);
        const gpus = dice.pick([1, 1, 2, 4, 8]);
        const part = dice.chance(20);
        const about = {
          ...{ job, revision: 1, user: `usr_${dice.whole(0, 4999)}`, model: dice.pick(models) },
          account: `team-${dice.whole(0, teams - 1)}/project-${dice.whole(0, 4)}`,
          gpus: Array.from({ length: part ? 1 : gpus }, (_, g) => `GPU-${g}`),
          ...{ unitsEach: part ? 3000 : unitsPerGpu, profile: part ? "1g.10gb" : "" },
          isolation: part ? ("mig" as const) : ("whole" as const),
          ...{ topology: gpus === 8 ? "nvlink" : "", class: "burst" as const },
          ...{ cpusMilli: 8000 * gpus, memoryMiB: 65_536 * gpus },
        } as const;
        for (let rank = 0; rank < members; rank++, leases++) {
          const [ran, left] = [start + 30 * second, start + 30 * second + runMs];
          const lease = { ...about, lease: `${job}-1-${rank}`, node: `n${dice.whole(0, 6249)}` };
          usage.push({ ...lease, state: "starting", fromAt: start, toAt: ran });
          usage.push({ ...lease, state: "running", fromAt: ran, toAt: left });
          usage.push({ ...lease, state: "stopping", fromAt: left, toAt: left + 5 * second });
        }
      }
      return { usage, leases };
    },
  };
}

function pricesOf(fromAt: number): PriceVersion {
  return {
    ...{ id: "2026-11", fromAt, currency: "EUR" },
    gpus: [
      { model: "H100-80GB", reservedMicros: 2_100_000, burstMicros: 2_900_000 },
      { model: "A100-80GB", reservedMicros: 1_200_000, burstMicros: 1_650_000 },
      { model: "*", reservedMicros: 600_000, burstMicros: 890_000 },
    ],
    ...{ isolation: { mig: 1050 }, topology: { nvlink: 1150 }, profile: { "1g.10gb": 1100 } },
    ...{ cpuMicrosPerCoreHour: 12_000, memoryMicrosPerGiBHour: 1_500, storageMicrosPerGiBHour: 0 },
    ...{ unbilled: ["starting"], lenderPerMille: 400, lostWorkPerMille: 1000 },
    idle: { policy: "by-quota", gpus: [{ model: "*", micros: 400_000 }] },
    ...{ minimumMicros: 0, rounding: "half-even", timesOfDay: [] },
  };
}

/** Cheaper from midnight to six. */
function nights(fromAt: number, days: number): PriceWindow[] {
  return Array.from({ length: days }, (_, no) => {
    const at = fromAt + no * day;
    return { fromAt: at, toAt: at + 6 * hour, perMille: 700 };
  });
}
