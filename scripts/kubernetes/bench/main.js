import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { orExplain } from "../../launch/launch.js";
import { Lab } from "../lab/lab.js";
import { versions } from "../lab/versions.js";
import { openTessera } from "../tessera.js";
import { summaryOf } from "./figures.js";
import { tesseraJobs } from "./jobs.js";
import { measure } from "./measure.js";
import { Observer } from "./observer.js";
import { makeNamespace, plainPods } from "./pods.js";
import { firstPod } from "./sample.js";

const usage = `npm run bench:kubernetes: how fast jobs start on a cluster, beside the cluster by itself

  --nodes N     simulated nodes with 8 GPUs each (default 1000)
  --jobs N      one-GPU jobs of the first case (default 5000)
  --gangs N     gangs of 8 x 8 GPUs of the second case (default 100)
  --repeats N   how often each is measured, in turn (default 3)
  --json        one JSON object as the last line, and nothing else on standard output

Example: npm run bench:kubernetes -- --json`;
const goal = 0.7;

async function main() {
  const { values } = parseArgs({
    options: {
      nodes: { type: "string", default: "1000" },
      jobs: { type: "string", default: "5000" },
      gangs: { type: "string", default: "100" },
      repeats: { type: "string", default: "3" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const [nodes, jobs, gangs, repeats] = [values.nodes, values.jobs, values.gangs, values.repeats].map(Number);
  const say = (text) => console.error(text);
  const lab = await Lab.open({ kwokNodes: nodes, say });
  let server;
  try {
    server = await openTessera({ kubeconfig: lab.kubeconfig, nodes, name: "tess-bench" });
    const cases = { single: { count: jobs, members: 1, gpus: 1 }, gangs: { count: gangs, members: 8, gpus: 8 } };
    const report = await bench({ lab, server, cases, nodes, repeats, say });
    console.log(values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
    if (!report.pass) process.exitCode = 1;
  } finally {
    await server?.close();
    await lab.close();
  }
}

async function bench({ lab, server, cases, nodes, repeats, say }) {
  const { api } = lab;
  await makeNamespace(api);
  const observer = new Observer(api);
  const results = {};
  const daemons = Object.entries(lab.daemons).map(([name, { pid }]) => [name, pid]);
  const pids = { ...Object.fromEntries(daemons), tessera: server.pid };
  for (const [name, { count, members, gpus }] of Object.entries(cases)) {
    const jobs = tesseraJobs(server, api);
    const like = await firstPod(api, jobs, { gpus });
    const nodeFor = (no) => `kwok-${String(no % nodes).padStart(4, "0")}`;
    const ways = {
      tessera: jobs,
      "kube-scheduler": plainPods(api, { like }),
      nodeName: plainPods(api, { like, nodeFor }),
    };
    const measured = Object.fromEntries(Object.keys(ways).map((way) => [way, []]));
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const [way, means] of Object.entries(ways)) {
        const groups = Array.from({ length: count }, (_, no) => ({ name: `${name}-${repeat}-${no}`, members, gpus }));
        const figures = await measure({ api, observer, way: means, groups, pids });
        measured[way].push(figures);
        say(`${name}, ${way}: ${figures.jobsPerSecond.toFixed(1)} jobs/s, p50 ${figures.p50Ms.toFixed(0)} ms`);
      }
    }
    jobs.close();
    const summaries = Object.fromEntries(Object.entries(measured).map(([way, each]) => [way, summaryOf(each)]));
    const ratio = summaries.tessera.jobsPerSecond.median / summaries["kube-scheduler"].jobsPerSecond.median;
    results[name] = { jobs: count, members, gpus, ...summaries, ratio: Math.round(ratio * 100) / 100 };
  }
  await observer.close();
  const pass = Object.values(results).every(({ ratio }) => ratio >= goal);
  return {
    bench: "kubernetes",
    version: versions.kubernetes,
    cores: cpus().length,
    nodes,
    repeats,
    goal,
    ...results,
    pass,
  };
}

await orExplain(main);
