import { durationText, findingName, type Instant, type Job, reasonFor, type State } from "@tessera/core";
import { runScenario } from "./run.ts";
import type { Scenario, StepInput } from "./scenario.ts";

/** More nodes or names than this would hide what matters. */
const nodesMax = 8;
const namesMax = 8;

/** A scenario as text: at each instant the inputs, then the jobs on each GPU and the jobs that wait. */
export async function pictureOf(scenario: Scenario): Promise<string> {
  const lines: string[] = [];
  await runScenario(scenario, ({ atMs, inputs }, state, now) => {
    const given = inputs.length === 0 ? "" : `  ${inputsText(inputs)}`;
    lines.push(
      `at ${durationText(atMs)}${given}`,
      ...fleetLines(state),
      ...burstLines(state),
      ...waitingLines(state, now),
    );
  });
  return lines.join("\n");
}

function inputsText(inputs: readonly StepInput[]): string {
  const parts: string[] = [];
  const submitted = new Map<string, number>();
  for (const input of inputs) {
    if (input.kind === "submit") submitted.set(input.job.group, (submitted.get(input.job.group) ?? 0) + 1);
    else if (input.kind === "cancel") parts.push(`${input.job} is cancelled`);
    else if (input.kind === "fault") parts.push(`${input.job} faults`);
    else if (input.kind === "idle") parts.push(`${input.job} was idle for ${durationText(input.forMs)}`);
    else if (input.kind === "node") parts.push(`node ${input.node}: ${input.to}`);
    else if (input.kind === "engine") parts.push(`engine ${input.engine}: ${input.to}`);
    else if (input.kind === "finding")
      parts.push(`node ${input.node}: ${findingName(input)}${input.gpu === undefined ? "" : ` on GPU ${input.gpu}`}`);
    else if (input.kind === "checks") parts.push(`node ${input.node}: checks ${input.result}`);
    else if (input.kind === "maintenance") parts.push(`node ${input.node}: maintenance ${spanText(input)}`);
    else parts.push(`new terms for ${input.accounts.map(({ path }) => path).join(", ")}${untilText(input)}`);
  }
  for (const [group, count] of submitted)
    parts.push(count === 1 ? `${group} is submitted` : `${count} jobs ${group} are submitted`);
  return parts.join(", ");
}

function spanText({ fromMs, untilMs }: Extract<StepInput, { kind: "maintenance" }>): string {
  return `from ${durationText(fromMs)} until ${durationText(untilMs)}`;
}

function untilText({ untilMs }: Extract<StepInput, { kind: "quota" }>): string {
  return untilMs === undefined ? "" : ` until ${durationText(untilMs)}`;
}

function fleetLines(state: State): string[] {
  const nodes = state.fleet.nodes.filter((node) => node !== undefined).slice(0, nodesMax);
  return nodes.map((node) => {
    const gpus = node.facts.gpus.map((_, i) => holdersOf(state, node.no, node.firstGpu + i));
    const mode = node.mode === "up" ? "" : `  ${node.mode}`;
    return `  ${node.facts.name} [${gpus.join(" | ")}]${mode}`;
  });
}

/** The jobs that hold a GPU or share it; a job that is leaving has a star. */
function holdersOf(state: State, node: number, gpu: number): string {
  const names = new Map<string, number>();
  for (const lease of state.leases.values()) {
    if (lease.node !== node || !lease.gpus.some((each) => each === gpu)) continue;
    const name = `${nameOf(state.jobs.get(lease.job)!)}${lease.state === "stopping" ? "*" : ""}`;
    names.set(name, (names.get(name) ?? 0) + 1);
  }
  if (names.size === 0) return "-";
  return [...names].map(([name, count]) => (count === 1 ? name : `${name} x${count}`)).join(" + ");
}

function burstLines(state: State): string[] {
  const burst = [...state.jobs.values()].filter((job) => job.leases.length > 0 && job.class === "burst");
  if (burst.length === 0) return [];
  const more = burst.length > namesMax ? `, and ${burst.length - namesMax} more` : "";
  return [`  burst: ${burst.slice(0, namesMax).map(nameOf).join(", ")}${more}`];
}

function waitingLines(state: State, now: Instant): string[] {
  const waiting = [...state.jobs.values()].filter((job) => job.state === "waiting");
  if (waiting.length === 0) return [];
  const names = waiting.slice(0, namesMax).map((job) => `${nameOf(job)} (${reasonFor(state, job, now).kind})`);
  const more = waiting.length > namesMax ? `, and ${waiting.length - namesMax} more` : "";
  return [`  waits: ${names.join(", ")}${more}`];
}

function nameOf({ spec, index }: Job): string {
  return index === undefined ? spec.name : `${spec.name}.${index}`;
}
