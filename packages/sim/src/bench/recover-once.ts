import { openReader, recover, type StoreConfig } from "@tessera/server";

/**
 * One recovery in a fresh process: `recover-once.js replay|snapshot CONFIG`. Prints what it took. Times count from the
 * beginning of this process, so loading the code and opening the store are in them.
 */
export interface Recovery {
  readonly events: number;
  readonly recoverMs: number;
  /** The CPU time of this thread; the rest of the time went to other work of the machine. */
  readonly cpuMs: number;
  readonly sinceProcessStartMs: number;
  readonly rssMiB: number;
  readonly liveJobs: number;
  readonly liveLeases: number;
  readonly keys: number;
}

const [how, place] = process.argv.slice(2) as ["replay" | "snapshot", string];
const reader = await openReader(JSON.parse(place) as StoreConfig);
const source = {
  head: () => reader.head(),
  eventLines: (fromSeq: number, limit: number) => reader.eventLines(fromSeq, limit),
  latestSnapshot: async () => (how === "replay" ? undefined : reader.latestSnapshot()),
};
const from = performance.now();
const cpuFrom = process.threadCpuUsage();
const { state, eventsReplayed } = await recover(source);
const to = performance.now();
const cpu = process.threadCpuUsage(cpuFrom);
const recovery: Recovery = {
  events: eventsReplayed,
  recoverMs: to - from,
  cpuMs: (cpu.user + cpu.system) / 1000,
  sinceProcessStartMs: to,
  rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
  liveJobs: state.jobs.size,
  liveLeases: state.leases.size,
  keys: state.keys.size,
};
await reader.close();
console.log(JSON.stringify(recovery));
