import { isRefusal, parseDuration } from "@tessera/core";
import { need } from "../check/inputs.ts";
import { BadInput, type Command, exit, type Terminal, WrongUsage } from "../command/command.ts";
import { parseOptions, wantsJson } from "../command/options.ts";
import { countOf, outputOptions, watched, writeOutputs } from "../simulate/outputs.ts";
import { textTable } from "../simulate/table.ts";
import { readPhilly } from "../trace/philly.ts";
import { type PhillyFigures, runPhilly } from "./run.ts";
import { type QuotaName, quotaNodes, quotaUse, scaled } from "./settings.ts";

/** Tenants with quotas on one fleet (P4): floors that are lent and taken back, beside hard quotas and one pool. */
export const phillyCommand: Command = {
  name: "philly",
  usage: `  tess-sim philly --jobs F --month 2017-10 --quota tight|loose --nodes N [--checkpoint 30m] [--scale TENANT=3]
                                         Floors with reclaim beside hard quotas and one pool (protocol P4)`,
  run: philly,
};

async function philly(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseOptions(args, {
    ...outputOptions,
    jobs: { type: "string" },
    month: { type: "string" },
    quota: { type: "string", default: "tight" },
    nodes: { type: "string" },
    checkpoint: { type: "string" },
    scale: { type: "string" },
  });
  wantsJson(values.output);
  const { path, month, use, nodes } = {
    path: need(values.jobs, "--jobs"),
    month: need(values.month, "--month"),
    use: useOf(values.quota),
    nodes: countOf(values.nodes, "--nodes"),
  };
  const jobs = readPhilly(path, month);
  if (jobs.length === 0) throw new BadInput(`${path}: no job was submitted in ${month}; write a month such as 2017-10`);
  const quotas = quotaNodes(jobs, monthMs(month), use);
  const given = [...quotas.values()].reduce((a, b) => a + b, 0);
  if (given > nodes) throw new WrongUsage(`--nodes is ${nodes}; the ${values.quota} quotas alone need ${given}`);
  const scale = values.scale === undefined ? undefined : scaleOf(values.scale, quotas);
  const checkpointMs = values.checkpoint === undefined ? undefined : checkpointOf(values.checkpoint);
  const { figures, shared } = runPhilly({
    jobs: scale === undefined ? jobs : scaled(jobs, scale.tenant, scale.times),
    nodes,
    quotas,
    ...(checkpointMs !== undefined && { checkpointMs }),
    watch: watched,
  });
  const asked = { command: "philly", month, quota: values.quota, scale: values.scale ?? null };
  writeOutputs(terminal, values, {
    figures: { ...asked, ...figures },
    result: shared,
    from: 0,
    lines: linesOf(figures),
  });
  return exit.ok;
}

function useOf(name: string): number {
  if (name in quotaUse) return quotaUse[name as QuotaName];
  throw new WrongUsage(`--quota is ${name}; write ${Object.keys(quotaUse).join(" or ")}`);
}

function monthMs(month: string): number {
  const [year, of] = month.split("-").map(Number);
  return Date.UTC(year!, of!, 1) - Date.UTC(year!, of! - 1, 1);
}

function scaleOf(text: string, quotas: ReadonlyMap<string, number>): { tenant: string; times: number } {
  const [tenant = "", times = ""] = text.split("=");
  if (!quotas.has(tenant)) {
    throw new WrongUsage(`--scale names ${tenant}; the tenants of the month are ${[...quotas.keys()].join(", ")}`);
  }
  return { tenant, times: countOf(times, "--scale TENANT=") };
}

function checkpointOf(text: string): number {
  const ms = parseDuration(text, "--checkpoint");
  if (!isRefusal(ms) && ms > 0) return ms;
  throw new WrongUsage(`--checkpoint is ${text}; write how far apart checkpoints are, such as 30m`);
}

function linesOf(figures: PhillyFigures): string[] {
  const { waitS, poolWaitS, hardQuotasWaitS, compared } = figures;
  return [
    ...textTable(
      ["tenant", "jobs", "quota nodes", "wait s", "alone s", "jobs > 300 s worse"],
      figures.tenants.map((t) => [t.tenant, t.jobs, t.quotaNodes, t.waitS, t.aloneWaitS, t.jobsHarmed]),
    ),
    "",
    ...textTable(
      ["setting", "average wait s"],
      [
        ["floors with reclaim (Tessera)", waitS],
        ["one pool, same order and placement", poolWaitS],
        ["hard quotas, same order and placement", hardQuotasWaitS],
        ...Object.entries(compared).map(([name, wait]): [string, number] => [`one pool, ${name}`, wait]),
      ],
    ),
    "",
    `${figures.tenantsWorseThanAlone} tenants worse than alone; ${figures.jobsHarmed} jobs > 300 s worse than alone; ` +
      `${figures.reclaims} reclaims, ${figures.lostGpuHours} GPU-hours lost; ` +
      `Jain index of slow-downs ${figures.jainOfSlowdowns}; ${figures.wallS} s`,
  ];
}
