import {
  type AccountNo,
  type Alternative,
  accountOf,
  durationText,
  type Job,
  type JobSpec,
  nodeName,
  type Outlook,
  type ReadonlyState,
  type Rule,
  type User,
  unitsPerGpu,
} from "@tessera/core";
import type { Displacement, DryRun, Start, Alternative as WireAlternative } from "@tessera/wire";
import { may } from "../access/policy.ts";
import { timestamp } from "./quantities.ts";
import { renderSpec } from "./spec.ts";

const ruleNames: Readonly<Record<Rule, Displacement["by"][number]["rule"]>> = {
  T1: "reclaim",
  T2: "fair-share",
  T3: "priority",
  O3: "order",
};

/** The most jobs that are named; the others are counted as hidden, since longer lists are not read. */
const namesMax = 20;

/** The victims: by rule, and by name as far as this user may see them. */
export function renderDisplaced(
  state: ReadonlyState,
  user: User,
  account: AccountNo,
  { displaced, graceMs }: Pick<Extract<Outlook, { when: "now" }>, "displaced" | "graceMs">,
): Displacement {
  const by = new Map<Rule, Displacement["by"][number]>();
  const seen: Displacement["seen"] = [];
  for (const { job, rule, units, members } of displaced) {
    const count = by.get(rule) ?? { rule: ruleNames[rule], jobs: 0, members: 0, gpus: 0 };
    const gpus = gpusOf(units);
    by.set(rule, {
      rule: count.rule,
      jobs: count.jobs + (members === 0 ? 1 : 0),
      members: count.members + members,
      gpus: gpusOf(count.gpus * unitsPerGpu + units),
    });
    if (seen.length < namesMax && may(state, user, "job.read", job.account))
      seen.push({ id: job.id, name: job.spec.name, project: accountOf(state, job.account).path, gpus });
  }
  const rules = [...by.values()];
  return {
    jobs: rules.reduce((sum, each) => sum + each.jobs, 0),
    members: rules.reduce((sum, each) => sum + each.members, 0),
    gpus: gpusOf(displaced.reduce((sum, { units }) => sum + units, 0)),
    by: rules,
    seen,
    own: displaced.filter(({ job }) => job.account === account).length,
    hidden: displaced.length - seen.length,
    within: durationText(graceMs),
  };
}

/** GPUs in thousandths. */
function gpusOf(units: number): number {
  return Math.round((units * 1000) / unitsPerGpu) / 1000;
}

/** The seats of a start that was planned, by rank. */
export function renderSeats({ fleet }: ReadonlyState, outlook: Outlook): DryRun["members"] {
  if (outlook.when !== "now") return [];
  return outlook.placement.seats.map(({ node, gpus, part }, rank) => ({
    rank,
    node: nodeName(fleet, fleet.node(node)),
    gpus: gpus.length,
    model: gpus.length === 0 ? "" : fleet.models[fleet.gpuModel[gpus[0]!]!]!,
    ...(part !== undefined && { part: part.profile ?? `${part.mode} ${percentOf(part.compute)}` }),
  }));
}

function percentOf(units: number): string {
  return `${Math.round((units * 100) / unitsPerGpu)}%`;
}

/** When it starts, as the scheduler itself knows it. */
export function renderStart({ fleet }: ReadonlyState, outlook: Outlook, now: number): Start {
  switch (outlook.when) {
    case "now":
      return { when: "now", at: timestamp(now + outlook.graceMs) };
    case "later": {
      const nodes = outlook.nodes.map((no) => nodeName(fleet, fleet.node(no)));
      return { when: "later", at: timestamp(outlook.at), basis: outlook.guessed ? "run-times" : "plan", nodes };
    }
    case "unknown":
      return { when: "unknown", why: outlook.why };
  }
}

export function renderAlternative(
  state: ReadonlyState,
  user: User,
  { spec: from, account }: Pick<Job, "spec" | "account">,
  { field, spec, outlook }: Alternative,
): WireAlternative {
  const change = { field, from: fieldOf(from, field), to: fieldOf(spec, field) };
  if (outlook.when === "later") return { change, effect: "starts later", at: timestamp(outlook.at) };
  const { placement, displaced } = outlook;
  return {
    change,
    effect: "starts now",
    class: placement.class,
    ...(displaced.length > 0 && { displaces: renderDisplaced(state, user, account, outlook) }),
  };
}

/** A field as the job file has it. `members` stands in for `nodes` where members need not be apart. */
export function fieldOf(spec: JobSpec, field: string): unknown {
  if (field === "model.precision") return spec.model?.precision ?? null;
  const file = renderSpec(spec);
  if (field === "members" && spec.members.apart) return `nodes: ${file.nodes}`;
  return file[field] ?? null;
}
