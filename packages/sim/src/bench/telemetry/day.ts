import { openTelemetry, type SeriesQuery, type TelemetryStore, usualSettings } from "@tessera/telemetry";
import { quantile } from "../figures.ts";
import { Feed } from "./feed.ts";
import type { LeasedFleet } from "./leased-fleet.ts";
import { memoryDuring } from "./memory.ts";

export interface DayAsk {
  readonly minutes: number;
  /** Every minute one node in so many is sampled. */
  readonly nodesIn: number;
  readonly queries: number;
}

const minute = 60_000;
/** Lines in one answer, as the API gives them. */
const linesMax = 50;

/** A day of the fleet through the collector and the store, then questions about it from the disk. */
export async function aDay({ minutes, nodesIn, queries }: DayAsk, fleet: LeasedFleet, dir: string) {
  const store = openTelemetry({ dir, settings: usualSettings, warn: (text) => console.error(text) });
  await fleet.prepare(Math.ceil(fleet.nodes.length / nodesIn));
  const feed = new Feed(store, fleet, nodesIn * minute);
  const began = performance.now();
  const from = Math.ceil(fleet.plant.now / (60 * minute)) * 60 * minute;
  const threadMiBMax = await memoryDuring(store, async () => {
    for (let step = 1; step <= minutes; step++) {
      await feed.tell(from + step * minute);
      if (step % 20 === 0) await store.flush();
    }
    await store.flush();
  });
  const filledSeconds = Math.round((performance.now() - began) / 1_000);
  const { bytes, rowsDropped, cpuMs } = await store.status();
  const teams = fleet.teams();
  const common = { from, to: from + minutes * minute, stepMs: 5 * minute, linesMax };
  const team = (index: number) => ({ accounts: new Set([teams[index % teams.length]!]) });
  const took = {
    team: await timed(store, queries, (query) => ({ ...common, metric: "activity", by: "none", filter: team(query) })),
    teamByJob: await timed(store, queries, (query) => ({
      ...common,
      metric: "power",
      by: "job",
      filter: team(query),
    })),
    fleetByAccount: await timed(store, Math.ceil(queries / 10), () => ({
      ...{ ...common, metric: "activity", by: "account", filter: {} },
    })),
  };
  await store.close();
  return {
    wrote: `every minute one node in ${nodesIn}, so that each GPU has a sample every ${nodesIn} minutes and each team has rows in every minute; minutes and hours are made by the store`,
    minutes,
    teams: teams.length,
    samples: feed.told,
    rowsDropped,
    filledSeconds,
    cpuUsPerSample: Number(((cpuMs * 1_000) / feed.told).toFixed(2)),
    bytesPerSample: Number((bytes / feed.told).toFixed(1)),
    threadMiBMax,
    queries,
    took,
  };
}

async function timed(store: TelemetryStore, queries: number, queryOf: (query: number) => SeriesQuery) {
  const ms: number[] = [];
  let values = 0;
  for (let query = 0; query < queries; query++) {
    const asked = performance.now();
    const { lines } = await store.series(queryOf(query));
    ms.push(performance.now() - asked);
    values += lines.reduce((sum, line) => sum + line.values.filter((value) => value !== null).length, 0);
  }
  ms.sort((a, b) => a - b);
  const round = (part: number) => Number(quantile(ms, part).toPrecision(3));
  return { p50ms: round(0.5), p99ms: round(0.99), values };
}
