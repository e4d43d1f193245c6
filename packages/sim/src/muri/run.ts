import { type AccountOrder, type Policy, plainPolicy, plainTerms } from "@tessera/core";
import { type PolicyName, runPolicy } from "../compare/compare.ts";
import { alikeNodes } from "../simulate/alike-nodes.ts";
import { mean, quantile, rounded, seconds } from "../simulate/figures.ts";
import { gangSpec } from "../simulate/gang.ts";
import { completionMs, heldPart, type Result } from "../simulate/result.ts";
import type { Setting } from "../simulate/setting.ts";
import { simulate } from "../simulate/simulate.ts";
import type { NamedGang } from "../trace/itp.ts";

const nodes = 8;
const gpusPerNode = 8;

/** What each class of the protocol lets a policy know and do, and what it is compared with. */
export const muriClasses = {
  a: { known: true, startMs: 0, order: "aged-shortest", compared: ["fifo", "sjf", "srtf", "srsf"], against: "srsf" },
  b: { known: false, startMs: 10_000, order: "aged-shortest", compared: ["greedy-backfill"], against: undefined },
  c: {
    known: false,
    startMs: 0,
    order: "aged-shortest",
    compared: ["fifo", "greedy-backfill"],
    against: "greedy-backfill",
  },
} as const satisfies Record<string, MuriClass>;

export type MuriClassName = keyof typeof muriClasses;

interface MuriClass {
  readonly known: boolean;
  readonly startMs: number;
  readonly order: AccountOrder;
  readonly compared: readonly PolicyName[];
  readonly against: PolicyName | undefined;
}

export interface PolicyFigures {
  readonly policy: string;
  readonly averageJctS: number;
  readonly p99JctS: number;
  readonly makespanS: number;
}

export interface MuriFigures {
  readonly jobs: number;
  readonly policies: readonly PolicyFigures[];
  /** Tessera's average as a part of that of the policy it is measured by. */
  readonly against: string | null;
  readonly ratio: number | null;
  readonly utilization: number;
  readonly wallS: number;
}

/** Nobody is planned ahead: without limits that only keeps GPUs idle here. */
const policy: Policy = { ...plainPolicy, rebalance: "off", graceMs: 0, movesPerHourMax: 0, backfill: false };

/** Gangs on 64 GPUs in one account, in its own order, beside policies on the same jobs. */
export function runMuri(
  jobs: readonly NamedGang[],
  name: MuriClassName,
  watch: (what: string, setting: Setting) => Setting,
): { figures: MuriFigures; result: Result } {
  const begun = performance.now();
  const { known, startMs, order, compared, against }: MuriClass = muriClasses[name];
  const result = simulate(watch(`class ${name}`, muriSetting(jobs, order, startMs, known)));
  const own = figuresOf("tessera", jobs, result.jobs.map(completionMs));
  const others = compared.map((each) => {
    const ends = runPolicy(each, jobs, nodes, gpusPerNode);
    const spans = jobs.map(({ submitAt }, i) => ends[i]! - submitAt);
    return figuresOf(each, jobs, spans);
  });
  const beside = others.find((each) => each.policy === against);
  const figures = {
    jobs: jobs.length,
    policies: [own, ...others],
    against: against ?? null,
    ratio: beside === undefined ? null : rounded(own.averageJctS / beside.averageJctS),
    utilization: rounded(heldPart(result)),
    wallS: seconds(performance.now() - begun),
  };
  return { figures, result };
}

function muriSetting(jobs: readonly NamedGang[], order: AccountOrder, startMs: number, known: boolean): Setting {
  return {
    nodes: alikeNodes(nodes, gpusPerNode),
    accounts: [{ path: "all", terms: { ...plainTerms, order } }],
    policy,
    startMs,
    arrivals: jobs.map(({ name, submitAt, gpus, runMs }) => ({
      name,
      account: "all",
      spec: gangSpec({ gpus, gpusPerNode, ...(known && { expectedMs: runMs }) }),
      submitAt,
      runMs,
    })),
  };
}

function figuresOf(policy: string, jobs: readonly NamedGang[], spans: readonly number[]): PolicyFigures {
  const ends = jobs.map(({ submitAt }, i) => submitAt + spans[i]!);
  return {
    policy,
    averageJctS: seconds(mean(spans)),
    p99JctS: seconds(quantile(spans, 0.99)),
    makespanS: seconds(Math.max(...ends) - jobs[0]!.submitAt),
  };
}
