import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { writerLimits } from "@tessera/server";
import { openTelemetry, type SeriesQuery, type TelemetryStore, usualSettings } from "@tessera/telemetry";
import { quantile, spreadOf } from "../figures.ts";
import type { CaseName } from "../scheduler/cases.ts";
import type { Measured } from "../scheduler/stopwatch.ts";
import { SampledFleet } from "./sampled-fleet.ts";

export interface BenchAsk {
  readonly gpus: number;
  readonly samplesPerSecond: number;
  /** What the scheduler does meanwhile. */
  readonly scheduling: CaseName;
  readonly rounds: number;
  /** The day that is asked about afterwards: of so many GPUs, sampled once a minute for so long. */
  readonly dayGpus: number;
  readonly dayMinutes: number;
  readonly queries: number;
  readonly say: (text: string) => void;
}

const teams = 50;
const minute = 60_000;
const now = Date.UTC(2026, 10, 1);

/** Samples beside the scheduler, on and off in turn; then a day, and questions about it. */
export async function benchTelemetry(ask: BenchAsk) {
  const dir = mkdtempSync(join(tmpdir(), "bench-telemetry-"));
  try {
    const beside = await besideScheduling(ask, join(dir, "beside"));
    ask.say(`a day of ${ask.dayGpus} GPUs`);
    const day = await aDay(ask, join(dir, "day"));
    const rssMiB = Math.round(process.resourceUsage().maxRSS / 1_024);
    const pass =
      beside.slowdownPercent.median <= 5 &&
      beside.rowsDropped === 0 &&
      beside.keptPerSecond >= 0.99 * ask.samplesPerSecond;
    return { bench: "telemetry", gpus: ask.gpus, cores: cpus().length, beside, day, rssMiB, pass };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function besideScheduling({ gpus, samplesPerSecond, scheduling, rounds, say }: BenchAsk, dir: string) {
  const store = openTelemetry({ dir, settings: usualSettings, warn: say });
  const fleet = new SampledFleet(gpus, teams, now);
  const thread = new Worker(new URL("./scheduling-thread.js", import.meta.url), { resourceLimits: writerLimits });
  const schedule = async (size: number, seed: number): Promise<Measured> => {
    thread.postMessage({ name: scheduling, gpus: size, seed });
    const [measured] = (await once(thread, "message")) as [Measured];
    return measured;
  };
  const feed = new Feed(store, fleet, samplesPerSecond);
  const [off, on]: [Measured[], Measured[]] = [[], []];
  for (let seed = 1; seed <= 2; seed++) await schedule(Math.min(gpus, 4_800), seed);
  await feed.during(schedule(Math.min(gpus, 4_800), 3)); // both are warm now
  const before = feed.written;
  for (let round = 0; round < rounds; round++) {
    // The same jobs on both sides, and each side goes first every other time.
    const sides = [
      async () => off.push(await schedule(gpus, round)),
      async () => on.push(await feed.during(schedule(gpus, round))),
    ];
    for (const side of round % 2 === 0 ? sides : sides.reverse()) await side();
    say(`round ${round + 1}: ${off.at(-1)!.perSecond}/s without, ${on.at(-1)!.perSecond}/s with samples`);
  }
  await store.flush();
  const { bytes, rowsWritten, rowsDropped } = await store.status();
  const keptPerSecond = Math.round((feed.written - before) / feed.seconds);
  await store.close();
  await thread.terminate();
  const slowdown = (figure: "perSecond" | "perCpuSecond") =>
    spreadOf(
      off.map((each, round) => 100 * (each[figure] / on[round]![figure] - 1)),
      1,
    );
  return {
    rounds,
    samplesPerSecond,
    keptPerSecond,
    rowsWritten,
    rowsDropped,
    withoutPerSecond: spreadOf(off.map(({ perSecond }) => perSecond)),
    withPerSecond: spreadOf(on.map(({ perSecond }) => perSecond)),
    slowdownPercent: slowdown("perSecond"),
    slowdownCpuPercent: slowdown("perCpuSecond"),
    collectingMsPerSecond: Number((feed.busyMs / feed.seconds).toFixed(1)),
    bytesPerSample: Number((bytes / rowsWritten).toFixed(1)),
  };
}

/** Writes so many samples a second while something else runs. */
class Feed {
  written = 0;
  seconds = 0;
  /** How long the thread that collects was on a core to pack and hand over. */
  busyMs = 0;
  #at = now;
  #node = 0;
  readonly #store: TelemetryStore;
  readonly #fleet: SampledFleet;
  readonly #nodesPerTick: number;
  readonly #ticksPerSecond: number;

  constructor(store: TelemetryStore, fleet: SampledFleet, samplesPerSecond: number) {
    this.#store = store;
    this.#fleet = fleet;
    this.#ticksPerSecond = Math.min(10, samplesPerSecond / 8);
    this.#nodesPerTick = Math.round(samplesPerSecond / 8 / this.#ticksPerSecond);
  }

  async during<Result>(other: Promise<Result>): Promise<Result> {
    const done = new AbortController();
    const feeding = this.#feed(done.signal);
    try {
      return await other;
    } finally {
      done.abort();
      await feeding;
    }
  }

  async #feed(until: AbortSignal): Promise<void> {
    const began = performance.now();
    let ticks = 0;
    while (!until.aborted) {
      await this.#tick();
      ticks++;
      const due = began + (ticks * 1_000) / this.#ticksPerSecond;
      await sleep(Math.max(0, due - performance.now()));
    }
    this.seconds += (performance.now() - began) / 1_000;
  }

  async #tick(): Promise<void> {
    const rows = await this.#fleet.rows(this.#at, this.#node, this.#nodesPerTick);
    const { user, system } = process.threadCpuUsage();
    this.#store.write(rows);
    const after = process.threadCpuUsage();
    this.busyMs += (after.user - user + after.system - system) / 1_000;
    this.written += rows.length;
    this.#at += Math.round(1_000 / this.#ticksPerSecond);
    this.#node += this.#nodesPerTick;
    if (this.#node >= this.#fleet.nodes) this.#node = 0;
  }
}

async function aDay({ dayGpus, dayMinutes, queries }: BenchAsk, dir: string) {
  const store = openTelemetry({ dir, settings: usualSettings, warn: () => {} });
  const fleet = new SampledFleet(dayGpus, teams, now - minute);
  const began = performance.now();
  for (let step = 1; step <= dayMinutes; step++) {
    store.write(await fleet.rows(now + step * minute, 0, fleet.nodes));
    if (step % 10 === 0) await store.flush();
  }
  await store.flush();
  const filledSeconds = Math.round((performance.now() - began) / 1_000);
  const { bytes, rowsWritten } = await store.status();
  const common = { from: now, to: now + dayMinutes * minute, stepMs: 5 * minute, linesMax: 50 };
  const kinds: Record<string, (team: number) => SeriesQuery> = {
    team: (team) => ({
      ...common,
      metric: "activity",
      by: "none",
      filter: { accounts: new Set([fleet.teamAt(team)]) },
    }),
    teamByJob: (team) => ({
      ...common,
      metric: "power",
      by: "job",
      filter: { accounts: new Set([fleet.teamAt(team)]) },
    }),
    fleetByAccount: () => ({ ...common, metric: "activity", by: "account", filter: {} }),
  };
  const took: Record<string, { p50ms: number; p99ms: number }> = {};
  for (const [name, queryOf] of Object.entries(kinds)) {
    const ms: number[] = [];
    for (let query = 0; query < queries; query++) {
      const asked = performance.now();
      await store.series(queryOf(query % teams));
      ms.push(performance.now() - asked);
    }
    ms.sort((a, b) => a - b);
    took[name] = { p50ms: round(quantile(ms, 0.5)), p99ms: round(quantile(ms, 0.99)) };
  }
  await store.close();
  const perSample = Number((bytes / rowsWritten).toFixed(1));
  return {
    gpus: dayGpus,
    minutes: dayMinutes,
    teams,
    rowsWritten,
    filledSeconds,
    bytes,
    bytesPerSample: perSample,
    queries,
    took,
  };
}

function round(ms: number): number {
  return Number(ms.toPrecision(3));
}
