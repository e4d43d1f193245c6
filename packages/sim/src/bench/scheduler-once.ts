import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { writerLimits } from "@tessera/server";
import { cases, isCase } from "./scheduler/cases.ts";
import type { Measured } from "./scheduler/stopwatch.ts";

/**
 * One run of one case in a process of its own: `scheduler-once.js CASE GPUS SEED` prints what it measured as JSON. It
 * runs in a thread with the limits of the server's writer, as the scheduler does in the server.
 */
const [name = "", gpus, seed] = process.argv.slice(2);
const warmUpGpus = 4_800;
if (!isCase(name)) throw new Error(`no case "${name}"`);
if (isMainThread) {
  const thread = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), resourceLimits: writerLimits });
  thread.on("message", (measured: Measured) => {
    console.log(JSON.stringify({ ...measured, rssMiB: Math.round(process.resourceUsage().maxRSS / 1_024) }));
  });
} else {
  // A server has been running for a while when such a load comes.
  for (let round = 1; round <= 2; round++) await cases[name](warmUpGpus, round);
  parentPort!.postMessage(await cases[name](Number(gpus), Number(seed)));
}
