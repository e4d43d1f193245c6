import { execFile } from "node:child_process";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { countOf, parseCall, wordOf } from "../call.ts";
import { measureKubernetes } from "./peers/kubernetes.ts";
import type { PeerMissing, PeerResult, Work } from "./peers/peer.ts";
import { measureSlurm } from "./peers/slurm.ts";
import type { Measured } from "./scheduler/stopwatch.ts";

const usage = `npm run bench:peers -- [options]: other schedulers on the same work as Tessera's, in the same run

  --nodes N     Nodes of 8 GPUs; as many one-GPU jobs as GPUs, and as many gangs of 8 nodes as fit (default 6250)
  --peers LIST  Which to run (default slurm,kubernetes)
  --seconds N   How long a peer is watched (default 60)
  --json        Print only the last line, one JSON object

Slurm's controller comes from Debian packages, unpacked below .cache/peers. Kubernetes is built there from the Go module
proxy the first time, where there is a go on the PATH. What cannot be run is named with the reason.`;

const values = parseCall(usage, {
  nodes: { type: "string", default: "6250" },
  peers: { type: "string", default: "slurm,kubernetes" },
  seconds: { type: "string", default: "60" },
  json: { type: "boolean", default: false },
});
const nodes = countOf(usage, "--nodes", values.nodes);
const seconds = countOf(usage, "--seconds", values.seconds);
const say = (text: string) => console.error(text);

const gpusPerNode = 8;
const gpus = nodes * gpusPerNode;
const works: readonly Work[] = [
  { case: "fill", nodes, gpusPerNode, jobs: gpus, nodesEach: 1, gpusEach: 1, teams: 300 },
  { case: "gangs", nodes, gpusPerNode, jobs: Math.floor(nodes / 8), nodesEach: 8, gpusEach: gpusPerNode, teams: 300 },
];
const known = { slurm: measureSlurm, kubernetes: measureKubernetes } as const;
const peers = values.peers.split(",").map((name) => wordOf(usage, "--peers", name, ["slurm", "kubernetes"]));
const cache = join(resolve(process.env.TESSERA_ROOT ?? "."), ".cache", "peers");

const results: PeerResult[] = [];
const missing: PeerMissing[] = [];
for (const work of works) {
  for (const peer of peers) {
    try {
      results.push(await known[peer](work, seconds, cache, say));
    } catch (error) {
      // A peer that fails must not cost the results of the others.
      missing.push({ peer, case: work.case, missing: (error as Error).message });
    }
  }
}
const tessera = {
  fill: await tesseraOn("fill"),
  journal: await tesseraOn("journal"),
  gangs: await tesseraOn("gangs"),
};
const ratios = results.map(({ peer, case: name, perSecond }) => ({
  ...{ peer, case: name },
  inMemory: timesAs(tessera[name].perSecond, perSecond),
  ...(name === "fill" && { withJournal: timesAs(tessera.journal.perSecond, perSecond) }),
}));
if (!values.json) {
  for (const { peer, case: name, placed, seconds: took, perSecond, ran } of results) {
    console.log(`${peer} ${name}: ${perSecond}/s (${placed} jobs in ${took} s; ${ran})`);
  }
  for (const [name, { perSecond, ran }] of Object.entries(tessera))
    console.log(`tessera ${name}: ${perSecond}/s (${ran})`);
  for (const each of missing) console.log(`${each.peer} ${each.case} could not be run: ${each.missing}`);
}
console.log(
  JSON.stringify({
    bench: "peers",
    cores: cpus().length,
    nodes,
    gpus,
    seconds,
    peers: results,
    tessera,
    ratios,
    missing,
  }),
);

/** How many times as fast; unknown where the peer placed nothing. */
function timesAs(ours: number, theirs: number): number | undefined {
  return theirs === 0 ? undefined : Math.round(ours / theirs);
}

/** One run in a process of its own, to the end of the work, as in bench:scheduler. */
async function tesseraOn(name: "fill" | "journal" | "gangs"): Promise<Pick<Measured, "jobs" | "perSecond" | "ran">> {
  const program = fileURLToPath(new URL("./scheduler-once.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, name, String(gpus), "1"]);
  const { jobs, perSecond, ran } = JSON.parse(stdout) as Measured;
  return { jobs, perSecond, ran };
}
