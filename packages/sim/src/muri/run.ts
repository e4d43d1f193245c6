import { type AccountTerms, type Policy, plainPolicy, plainTerms } from "@tessera/core";
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

/** The order that may evict, looked at every half hour even if nothing happens. */
const evicting = { order: "attained-service", quantumMs: 1_800_000 } as const;

/** What each class of the protocol lets a policy know and do, and what it is compared with. */
export const muriClasses = {
  a: {
    known: true,
    startMs: 0,
    minRuntimeMs: 0,
    terms: evicting,
    compared: ["fifo", "sjf", "srtf", "srsf"],
    against: "srsf",
  },
  b: {
    known: false,
    startMs: 10_000,
    minRuntimeMs: 600_000,
    terms: evicting,
    compared: ["greedy-backfill"],
    against: undefined,
  },
  c: {
    known: false,
    startMs: 0,
    minRuntimeMs: 0,
    terms: { order: "aged-shortest" },
    compared: ["fifo", "greedy-backfill"],
    against: "greedy-backfill",
  },
} as const satisfies Record<string, MuriClass>;

export type MuriClassName = keyof typeof muriClasses;

interface MuriClass {
  readonly known: boolean;
  readonly startMs: number;
  /** How long a job is left where it started. */
  readonly minRuntimeMs: number;
  readonly terms: Pick<AccountTerms, "order" | "quantumMs">;
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

/** A job that leaves loses nothing: the protocol counts preemption as free, or as a start. */
const checkpointMs = 1;

/** No job is planned ahead: without limits that only keeps GPUs idle here. */
const policy: Policy = { ...plainPolicy, rebalance: "off", graceMs: 0, movesPerHourMax: 0, backfill: false };

/** Gangs on 64 GPUs in one account, in its own order, beside policies on the same jobs. */
export function runMuri(
  jobs: readonly NamedGang[],
  name: MuriClassName,
  watch: (what: string, setting: Setting) => Setting,
): { figures: MuriFigures; result: Result } {
  const begun = performance.now();
  const { compared, against, ...ask }: MuriClass = muriClasses[name];
  const result = simulate(watch(`class ${name}`, muriSetting(jobs, ask)));
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

function muriSetting(
  jobs: readonly NamedGang[],
  { known, startMs, minRuntimeMs, terms }: Omit<MuriClass, "compared" | "against">,
): Setting {
  return {
    nodes: alikeNodes(nodes, gpusPerNode),
    accounts: [{ path: "all", terms: { ...plainTerms, ...terms } }],
    policy: { ...policy, minRuntimeMs },
    startMs,
    arrivals: jobs.map(({ name, submitAt, gpus, runMs }) => ({
      name,
      account: "all",
      spec: gangSpec({ gpus, gpusPerNode, checkpointMs, ...(known && { expectedMs: runMs }) }),
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
