import { unitsPerGpu } from "@tessera/core";
import { rangeText } from "../scenario/parse-job.ts";
import type {
  Labels,
  Scenario,
  ScenarioAccount,
  ScenarioJob,
  ScenarioNode,
  ScenarioPool,
  Step,
} from "../scenario/scenario.ts";

const plenty = 1_000_000_000;

/** A scenario as the file that `tess-sim scenario` reads. */
export function scenarioText({ name, nodes, accounts, policy, pools, steps }: Scenario, comment: string): string {
  const { graceMs, minRuntimeMs, rebalance, backfill } = policy;
  return [
    ...comment.split("\n").map((line) => `# ${line}`),
    "scenario: 1",
    `name: ${JSON.stringify(name)}`,
    "fleet:",
    ...nodes.map((node) => `  - ${nodeText(node)}`),
    "accounts:",
    ...accounts.map((account) => `  ${account.path}: ${accountText(account)}`),
    `policy: {grace: ${graceMs}ms, min_runtime: ${minRuntimeMs}ms, rebalance: ${rebalance}, backfill: ${backfill}}`,
    ...(pools.length === 0 ? [] : ["pools:", ...pools.map((pool) => `  ${pool.name}: ${poolText(pool)}`)]),
    "steps:",
    ...steps.flatMap(stepLines),
    "",
  ].join("\n");
}

function nodeText(node: ScenarioNode): string {
  const { name, engine, labels, model, gpus, zone, block, rack, cpusMilli, memoryMiB, mode } = node;
  const digits = /\d+$/.exec(name)?.[0] ?? "";
  const fields = [`nodes: 1`, `named: ${name.slice(0, name.length - digits.length)}`, `gpus: ${model}:${gpus}`];
  fields.push(`zone: ${zone}`, `block: ${block}`, `rack: ${rack}`);
  if (cpusMilli !== plenty) fields.push(`cpus: ${cpusMilli / 1000}`);
  if (memoryMiB !== plenty) fields.push(`memory: ${memoryMiB}MiB`);
  fields.push(`mode: ${mode}`);
  if (engine !== undefined) fields.push(`engine: ${engine}`);
  if (labels !== undefined) fields.push(`labels: ${labelText(labels)}`);
  return `{${fields.join(", ")}}`;
}

function labelText(labels: Labels): string {
  return `{${Object.entries(labels)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ")}}`;
}

function poolText({ labels, tenants, mode, ratio, trust }: ScenarioPool): string {
  const fields = [`labels: ${labelText(labels)}`];
  if (tenants !== undefined) fields.push(`tenants: [${tenants.join(", ")}]`);
  if (mode !== undefined) fields.push(`mode: ${mode}`);
  if (ratio !== undefined) fields.push(`ratio: ${ratio}`);
  if (trust !== undefined) fields.push(`trust: ${trust}`);
  return `{${fields.join(", ")}}`;
}

function accountText({ guarantee, max, lendable, weight, trust, trustGroup }: ScenarioAccount): string {
  const amount = (units: Readonly<Record<string, number>>) =>
    `{${Object.entries(units)
      .map(([model, each]) => `"${model}": ${each / unitsPerGpu}`)
      .join(", ")}}`;
  const fields = [`guarantee: ${amount(guarantee)}`];
  if (max !== undefined) fields.push(`max: ${amount(max)}`);
  if (lendable !== undefined) fields.push(`lendable: ${amount(lendable)}`);
  fields.push(`weight: ${weight}`);
  if (trust !== "trusted") fields.push(`trust: ${trust}`);
  if (trustGroup !== undefined) fields.push(`trust_group: ${trustGroup}`);
  return `{${fields.join(", ")}}`;
}

function stepLines({ atMs, inputs }: Step): string[] {
  const lines = [`  - at: ${atMs}ms`];
  const of = <Kind extends (typeof inputs)[number]["kind"]>(kind: Kind) =>
    inputs.filter((input): input is Extract<(typeof inputs)[number], { kind: Kind }> => input.kind === kind);
  const cancels = of("cancel").map(({ job }) => job);
  if (cancels.length > 0) lines.push(`    cancel: [${cancels.join(", ")}]`);
  const accounts = of("quota").flatMap((input) => input.accounts);
  if (accounts.length > 0)
    lines.push("    quota:", ...accounts.map((each) => `      ${each.path}: ${accountText(each)}`));
  const turns = of("node").map(({ node, to }) => `${node}: ${to}`);
  if (turns.length > 0) lines.push(`    node: {${turns.join(", ")}}`);
  const engines = of("engine").map(({ engine, to }) => `${engine}: ${to}`);
  if (engines.length > 0) lines.push(`    engine: {${engines.join(", ")}}`);
  const jobs = of("submit");
  if (jobs.length > 0) lines.push("    submit:", ...jobs.map(({ job }) => `      - ${jobText(job)}`));
  return lines;
}

function jobText(job: ScenarioJob): string {
  const { members, topology } = job;
  const fields = [`job: ${job.name}`, `account: ${job.account}`];
  fields.push(`gpus: ${job.gpus.length === 1 ? job.gpus[0] : `[${job.gpus.map((each) => `"${each}"`).join(", ")}]`}`);
  if (members.max > 1 || members.apart) fields.push(`${members.apart ? "nodes" : "members"}: ${rangeText(members)}`);
  if (topology !== undefined) fields.push(`topology: ${topology.level}${topology.required ? "" : "?"}`);
  if (job.where !== undefined) fields.push(`where: ${labelText(job.where)}`);
  if (job.cpusMilli > 0) fields.push(`cpus: ${job.cpusMilli / 1000}`);
  if (job.memoryMiB > 0) fields.push(`memory: ${job.memoryMiB}MiB`);
  if (job.isolation !== "any") fields.push(`isolation: ${job.isolation}`);
  if (job.type !== undefined) fields.push(`type: ${job.type}`);
  if (job.slo !== undefined)
    fields.push(`slo: {p99: ${job.slo.p99Ms}ms, alone: ${job.slo.aloneMs ?? job.slo.p99Ms}ms}`);
  if (job.priority !== 0) fields.push(`priority: ${job.priority}`);
  if (!job.preemptible) fields.push("preemptible: false");
  if (job.runsMs !== undefined) fields.push(`runs: ${job.runsMs}ms`);
  if (job.maxTimeMs !== undefined) fields.push(`max_time: ${job.maxTimeMs}ms`);
  if (job.checkpointMs !== undefined) fields.push(`checkpoint: ${job.checkpointMs}ms`);
  return `{${fields.join(", ")}}`;
}
