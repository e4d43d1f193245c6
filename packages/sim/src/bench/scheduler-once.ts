import { cases, isCase } from "./scheduler/cases.ts";

/** One run of one case in a process of its own: `scheduler-once.js CASE GPUS SEED` prints what it measured as JSON. */
const [name = "", gpus, seed] = process.argv.slice(2);
const warmUpGpus = 4_800;
if (!isCase(name)) throw new Error(`no case "${name}"`);
// A server has been running for a while when such a load comes.
for (let round = 1; round <= 2; round++) await cases[name](warmUpGpus, round);
const measured = await cases[name](Number(gpus), Number(seed));
console.log(JSON.stringify({ ...measured, rssMiB: Math.round(process.resourceUsage().maxRSS / 1_024) }));
