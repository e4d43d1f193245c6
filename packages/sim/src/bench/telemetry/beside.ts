import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { writerLimits } from "@tessera/server";
import { openTelemetry, usualSettings } from "@tessera/telemetry";
import { spreadOf } from "../figures.ts";
import type { CaseName } from "../scheduler/cases.ts";
import type { Measured } from "../scheduler/stopwatch.ts";
import { Feed, ticksPerSecond } from "./feed.ts";
import type { LeasedFleet } from "./leased-fleet.ts";
import { memoryDuring } from "./memory.ts";

export interface BesideAsk {
  readonly gpus: number;
  readonly samplesPerSecond: number;
  /** What the scheduler does meanwhile. */
  readonly scheduling: CaseName;
  readonly rounds: number;
  readonly say: (text: string) => void;
}

/** A fleet of this size warms both sides up. */
const warmGpus = 4_800;

/** Scheduling without and with samples, in turn, with the same jobs in both. */
export async function besideScheduling(ask: BesideAsk, fleet: LeasedFleet, dir: string) {
  const { gpus, samplesPerSecond, scheduling, rounds, say } = ask;
  const store = openTelemetry({ dir, settings: usualSettings, warn: say });
  const thread = new Worker(new URL("./scheduling-thread.js", import.meta.url), { resourceLimits: writerLimits });
  const schedule = async (size: number, seed: number): Promise<Measured> => {
    thread.postMessage({ name: scheduling, gpus: size, seed });
    const [measured] = (await once(thread, "message")) as [Measured];
    return measured;
  };
  const nodesPerSecond = samplesPerSecond / (await fleet.samplesPerNode());
  await fleet.prepare(Math.max(1, Math.round(nodesPerSecond / ticksPerSecond)));
  const feed = new Feed(store, fleet, Math.round((1_000 * fleet.nodes.length) / nodesPerSecond));
  const [off, on]: [Measured[], Measured[]] = [[], []];
  for (let seed = 1; seed <= 2; seed++) await schedule(Math.min(gpus, warmGpus), seed);
  await feed.during(schedule(Math.min(gpus, warmGpus), 3));
  await store.flush();
  const before = { ...(await store.status()), told: feed.told, seconds: feed.seconds, collectingMs: feed.collectingMs };
  const memoryMiB = await memoryDuring(store, async () => {
    for (let round = 0; round < rounds; round++) {
      const sides = [
        async () => off.push(await schedule(gpus, round)),
        async () => on.push(await feed.during(schedule(gpus, round))),
      ];
      // Each side goes first every other time.
      for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
      say(`pair ${round + 1}: ${off.at(-1)!.perSecond}/s without, ${on.at(-1)!.perSecond}/s with samples`);
    }
    await store.flush();
  });
  const { bytes, rowsWritten, rowsDropped, cpuMs } = await store.status();
  await store.close();
  await thread.terminate();
  const samples = feed.told - before.told;
  const perSample = (ms: number) => Number(((ms * 1_000) / samples).toFixed(2));
  return {
    ran: on[0]!.ran,
    pairs: rounds,
    samplesPerSecond: { asked: samplesPerSecond, kept: Math.round(samples / (feed.seconds - before.seconds)) },
    samples,
    rowsWritten: rowsWritten - before.rowsWritten,
    rowsDropped,
    decisionsPerSecond: { without: spreadOf(speeds(off)), with: spreadOf(speeds(on)) },
    slowdownPercent: slowdown(off, on, "perSecond"),
    slowdownCpuPercent: slowdown(off, on, "perCpuSecond"),
    slowdownOfAllPercent: ofAll(off, on),
    cpuUsPerSample: {
      collecting: perSample(feed.collectingMs - before.collectingMs),
      storing: perSample(cpuMs - before.cpuMs),
    },
    bytesPerSample: Number(((bytes - before.bytes) / samples).toFixed(1)),
    threadMiBMax: memoryMiB,
  };
}

function speeds(all: readonly Measured[]): number[] {
  return all.map(({ perSecond }) => perSecond);
}

function slowdown(off: readonly Measured[], on: readonly Measured[], figure: "perSecond" | "perCpuSecond") {
  return spreadOf(
    off.map((each, round) => 100 * (each[figure] / on[round]![figure] - 1)),
    1,
  );
}

/** By the time of all pairs together: the minute that is written falls into some of them. */
function ofAll(off: readonly Measured[], on: readonly Measured[]): number {
  const seconds = (all: readonly Measured[]) => all.reduce((sum, { jobs, perSecond }) => sum + jobs / perSecond, 0);
  return Number((100 * (seconds(on) / seconds(off) - 1)).toFixed(1));
}
