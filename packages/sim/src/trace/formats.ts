import { type NodeList, readNodes, readTasks } from "../openb/read.ts";
import { mean, quantile, rounded, sum } from "../simulate/figures.ts";
import { summariesOf, summaryColumns } from "./acme.ts";
import type { Table } from "./csv.ts";
import { dlrmColumns, dlrmOf } from "./dlrm.ts";
import { pairColumns, pairThroughputsOf, throughputColumns, throughputsOf } from "./gavel.ts";
import { quotaDaysOf, readHelios } from "./helios.ts";
import { readItp } from "./itp.ts";
import { readMuri } from "./muri.ts";
import { readPhilly } from "./philly.ts";
import { spotColumns } from "./spot.ts";

/** What a file holds, by name. */
export type Figures = Readonly<Record<string, number | string>>;

/** A kind of trace file: the columns it is known by, and what one such file holds. */
export interface Format {
  readonly name: string;
  readonly columns: readonly string[];
  readonly describe: (path: string, table: Table) => Figures;
}

/** Every kind of CSV trace that can be read; the first whose columns a file has is its kind. */
export const formats: readonly Format[] = [
  {
    name: "openb nodes",
    columns: ["sn", "cpu_milli", "gpu", "model"],
    describe: (path) => nodeFigures(readNodes(path)),
  },
  { name: "openb tasks", columns: ["name", "num_gpu", "gpu_milli"], describe: taskFigures },
  { name: "spot inventory", columns: spotColumns, describe: (path) => nodeFigures(readNodes(path)) },
  { name: "muri jobs", columns: ["iterations", "iteration_time"], describe: (path) => jobFigures(readMuri(path)) },
  { name: "itp jobs", columns: ["submission_time", "duration"], describe: (path) => jobFigures(readItp(path)) },
  {
    name: "philly jobs",
    columns: ["timestamp", "duration", "num_gpus", "cluster"],
    describe: (path, table) => {
      const tenants = new Set(table.texts("cluster")).size;
      return { ...jobFigures(readPhilly(path)), tenants };
    },
  },
  { name: "helios demand", columns: ["vc", "time", "running_gpu_num"], describe: demandFigures },
  { name: "helios quotas", columns: ["date", "total"], describe: quotaFigures },
  { name: "dlrm instances", columns: dlrmColumns, describe: (_, table) => instanceFigures(table) },
  { name: "gavel throughputs", columns: throughputColumns, describe: (_, table) => speedFigures(table) },
  { name: "gavel pairs", columns: pairColumns, describe: (_, table) => pairFigures(table) },
  { name: "acme summary", columns: summaryColumns, describe: (_, table) => summaryFigures(table) },
];

function nodeFigures({ names, gpus, model, cpuMilli }: NodeList): Figures {
  const byModel = new Map<string, number>();
  for (const [at, each] of model.entries()) byModel.set(each, (byModel.get(each) ?? 0) + gpus[at]!);
  const listed = [...byModel].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name || "no GPU"} ${count}`);
  return { nodes: names.length, gpus: sum(gpus), cpus: sum(cpuMilli) / 1_000, "GPUs by model": listed.join(", ") };
}

function taskFigures(path: string): Figures {
  const { tasks, kinds } = readTasks(path);
  const of = (is: (kind: (typeof kinds)[number]) => boolean) => tasks.filter(({ kind }) => is(kinds[kind]!)).length;
  return {
    tasks: tasks.length,
    shapes: kinds.length,
    "without GPU": of(({ gpus }) => gpus === 0),
    "part of a GPU": of(({ gpus, milli }) => gpus === 1 && milli < 1_000),
    "one GPU": of(({ gpus, milli }) => gpus === 1 && milli === 1_000),
    "several GPUs": of(({ gpus }) => gpus > 1),
    "GPUs asked for": rounded(sum(tasks.map(({ kind }) => (kinds[kind]!.gpus * kinds[kind]!.milli) / 1_000))),
  };
}

function jobFigures(jobs: readonly { submitAt: number; gpus: number; runMs: number }[]): Figures {
  if (jobs.length === 0) return { jobs: 0 };
  const gpuHours = sum(jobs.map(({ gpus, runMs }) => (gpus * runMs) / 3_600_000));
  const spanHours = (jobs.at(-1)!.submitAt - jobs[0]!.submitAt) / 3_600_000;
  const gangs = Map.groupBy(
    jobs.map(({ gpus }) => gpus),
    (gpus) => gpus,
  );
  const listed = [...gangs].sort((a, b) => a[0] - b[0]).map(([gpus, all]) => `${gpus}: ${all.length}`);
  return {
    jobs: jobs.length,
    "days of submissions": rounded(spanHours / 24),
    "GPU-hours": Math.round(gpuHours),
    "mean load, GPUs": rounded(spanHours === 0 ? 0 : gpuHours / spanHours),
    "median run s":
      quantile(
        jobs.map(({ runMs }) => runMs),
        0.5,
      ) / 1_000,
    "jobs by GPUs": listed.join(", "),
  };
}

function demandFigures(path: string, table: Table): Figures {
  const steps = new Set(table.texts("time")).size;
  const all = (name: string) => sum(table.numbers(name)) / steps;
  const given = all("total_gpu_num");
  return {
    tenants: new Set(table.texts("vc")).size,
    steps,
    "days with demand": readHelios(path).length,
    "mean GPUs": rounded(given),
    "running part": rounded(all("running_gpu_num") / given),
    "mean GPUs waited for": rounded(all("pending_gpu_num")),
    "mean idle GPUs": rounded(all("idle_gpu_num")),
  };
}

function quotaFigures(_: string, table: Table): Figures {
  const days = quotaDaysOf(table);
  const totals = days.map(({ gpusOf }) => sum([...gpusOf.values()]));
  const odd = table.wholes("total").findIndex((total, row) => total !== totals[row]);
  if (odd >= 0) throw table.bad("total", odd, `write the sum of the tenants, ${totals[odd]}`);
  return { tenants: days[0]?.gpusOf.size ?? 0, days: days.length, "mean GPUs": rounded(mean(totals)) };
}

function instanceFigures(table: Table): Figures {
  const instances = dlrmOf(table);
  return {
    instances: instances.length,
    apps: new Set(instances.map(({ app }) => app)).size,
    GPUs: sum(instances.map(({ gpus }) => gpus)),
    "with a limit per node": instances.filter(({ perNodeMax }) => perNodeMax !== undefined).length,
    created: instances.filter(({ createdAt }) => createdAt !== undefined).length,
    deleted: instances.filter(({ deletedAt }) => deletedAt !== undefined).length,
  };
}

function speedFigures(table: Table): Figures {
  const speeds = throughputsOf(table);
  return { measured: speeds.length, ...kindsOf(speeds), "job types": new Set(speeds.map(({ job }) => job)).size };
}

function pairFigures(table: Table): Figures {
  const pairs = pairThroughputsOf(table);
  const fit = pairs.filter(({ stepsPerS: [a, b] }) => a > 0 && b > 0).length;
  return { measured: pairs.length, ...kindsOf(pairs), "fit together": fit };
}

function kindsOf(of: readonly { gpu: string }[]): Figures {
  return { "GPU kinds": new Set(of.map(({ gpu }) => gpu)).size };
}

function summaryFigures(table: Table): Figures {
  const clusters = summariesOf(table);
  const text = clusters.map(({ cluster, gpuJobs, waitSMean }) => `${cluster} ${gpuJobs} jobs, wait ${waitSMean} s`);
  return { clusters: clusters.length, "GPU jobs": text.join("; ") };
}
