import { unitsPerGpu } from "@tessera/core";
import type { Scenario, ScenarioAccount, ScenarioJob, StepInput } from "../scenario/scenario.ts";

/** The smallest scenario that still fails and that is found by leaving things out. */
export function shrink(scenario: Scenario, fails: (smaller: Scenario) => boolean): Scenario {
  let best = scenario;
  for (let smaller: Scenario | undefined = best; smaller !== undefined; ) {
    best = smaller;
    smaller = undefined;
    for (const candidate of smallerOnes(best)) {
      if (!fails(candidate)) continue;
      smaller = candidate;
      break;
    }
  }
  return best;
}

/** The scenario without one of its parts, large parts first. */
function* smallerOnes(scenario: Scenario): Generator<Scenario> {
  const { steps, nodes, accounts, policy, pools } = scenario;
  for (const i of steps.keys()) yield tidy({ ...scenario, steps: steps.filter((_, at) => at !== i) });
  for (const [at, step] of steps.entries()) {
    for (const i of step.inputs.keys()) {
      yield tidy(
        withInputs(
          scenario,
          at,
          step.inputs.filter((_, input) => input !== i),
        ),
      );
    }
  }
  for (const node of nodes) {
    if (nodes.length > 1) yield tidy({ ...scenario, nodes: nodes.filter((each) => each !== node) });
  }
  for (const pool of pools) yield { ...scenario, pools: pools.filter((each) => each !== pool) };
  for (const { path } of accounts) {
    const inside = (other: string) => other === path || other.startsWith(`${path}/`);
    yield tidy({ ...scenario, accounts: accounts.filter((each) => !inside(each.path)) });
  }
  for (const [i, node] of nodes.entries()) {
    if (node.gpus > 1) yield { ...scenario, nodes: nodes.with(i, { ...node, gpus: node.gpus - 1 }) };
  }
  for (const [i, account] of accounts.entries()) {
    for (const simpler of simplerAccounts(account)) yield { ...scenario, accounts: accounts.with(i, simpler) };
  }
  if (policy.graceMs > 0) yield { ...scenario, policy: { ...policy, graceMs: 0 } };
  if (policy.minRuntimeMs > 0) yield { ...scenario, policy: { ...policy, minRuntimeMs: 0 } };
  for (const [at, step] of steps.entries()) {
    for (const [i, input] of step.inputs.entries()) {
      if (input.kind !== "submit") continue;
      for (const job of simplerJobs(input.job)) yield withInputs(scenario, at, step.inputs.with(i, { ...input, job }));
    }
  }
}

function withInputs(scenario: Scenario, at: number, inputs: readonly StepInput[]): Scenario {
  return { ...scenario, steps: scenario.steps.with(at, { ...scenario.steps[at]!, inputs }) };
}

/** Without inputs that name accounts, nodes or jobs that were left out. */
function tidy(scenario: Scenario): Scenario {
  const accounts = new Set(scenario.accounts.map(({ path }) => path));
  const nodes = new Set(scenario.nodes.map(({ name }) => name));
  const jobs = new Set<string>();
  const stays = (input: StepInput): boolean => {
    switch (input.kind) {
      case "submit":
        jobs.add(input.job.name);
        return accounts.has(input.job.account);
      case "cancel":
      case "fault":
      case "idle":
        return jobs.has(input.job);
      case "node":
      case "maintenance":
      case "finding":
      case "checks":
        return nodes.has(input.node);
      case "engine":
        return scenario.nodes.some(({ engine }) => engine === input.engine);
      case "quota":
        return input.accounts.every(({ path }) => accounts.has(path));
    }
  };
  const steps = scenario.steps.map((step) => ({ ...step, inputs: step.inputs.filter(stays) }));
  const pools = scenario.pools.filter(({ tenants = [] }) => tenants.every((path) => accounts.has(path)));
  return { ...scenario, pools, steps: steps.filter(({ inputs }, i) => inputs.length > 0 || i === steps.length - 1) };
}

function* simplerAccounts(account: ScenarioAccount): Generator<ScenarioAccount> {
  const { max, lendable, ...rest } = account;
  if (max !== undefined) yield { ...rest, ...(lendable && { lendable }) };
  if (lendable !== undefined) yield { ...rest, ...(max && { max }) };
  const guaranteed = account.guarantee["*"] ?? 0;
  if (guaranteed > 0) {
    yield { ...account, guarantee: {} };
    yield { ...account, guarantee: { "*": guaranteed - unitsPerGpu } };
  }
  if (account.weight !== 1) yield { ...account, weight: 1 };
}

function* simplerJobs(job: ScenarioJob): Generator<ScenarioJob> {
  const { runsMs, checkpointMs, topology, ...rest } = job;
  const given = { ...(runsMs && { runsMs }), ...(checkpointMs && { checkpointMs }), ...(topology && { topology }) };
  for (const key of Object.keys(given)) {
    const { [key as "runsMs"]: _, ...others } = given;
    yield { ...rest, ...others };
  }
  if (job.priority !== 0) yield { ...job, priority: 0 };
  if (!job.preemptible) yield { ...job, preemptible: true };
  const [gpus] = job.gpus;
  if (typeof gpus === "number" && gpus > 1) yield { ...job, gpus: [gpus - 1] };
  if (job.gpus.length > 1 || typeof gpus !== "number") yield { ...job, gpus: [1] };
  const { min, max, apart } = job.members;
  if (max > min) yield { ...job, members: { min, max: min, apart } };
  if (min > 1) yield { ...job, members: { min: min - 1, max: Math.max(1, max - 1), apart: apart && min > 2 } };
  if (job.cpusMilli > 0) yield { ...job, cpusMilli: 0 };
  if (job.memoryMiB > 0) yield { ...job, memoryMiB: 0 };
}
