import type { JobId } from "@tessera/core";
import { mean, quantile } from "@tessera/sim";
import type { Costs } from "./cost.ts";
import type { Rerun } from "./rerun.ts";
import type { JobTale, Tallied } from "./tally.ts";

export interface Figures {
  readonly jobs: number;
  readonly started: number;
  readonly waitMsMean: number;
  readonly waitMsP50: number;
  readonly waitMsP90: number;
  readonly evictions: number;
  readonly lostGpuMs: number;
  readonly heldGpuMs: number;
  /** Charges less credits, in millionths of the currency; absent where nothing has a price. */
  readonly costMicros?: bigint;
}

/** Two reruns side by side: as it was, and as it would have been. */
export interface Pair<T> {
  readonly asItWas: T;
  readonly changed: T;
}

export interface Comparison {
  /** Of all costs; null where nothing has a price. */
  readonly currency: string | null;
  readonly fleet: Pair<Figures & { readonly utilization: number }>;
  readonly accounts: readonly ({ readonly account: string } & Pair<Figures>)[];
  /** Commands of the past that are refused, and the first of those that only the change makes so. */
  readonly refused: Pair<number> & { readonly first: readonly string[] };
  /** GPUs cleared between tenants, and the time that members waited for it. */
  readonly scrubs: Pair<Tallied["scrubs"]>;
  /** Those whose wait changes most, most first. */
  readonly jobs: readonly ({
    readonly job: JobId;
    readonly name: string;
    readonly account: string;
    readonly gpus: number;
    readonly waitMsChange: number;
  } & Pair<{ readonly waitMs: number; readonly evictions: number }>)[];
}

const jobsShown = 10;
const refusalsShown = 3;

export function compare(asItWas: Rerun, changed: Rerun): Comparison {
  const named = [asItWas, changed].flatMap((rerun) => [
    ...tales(rerun).map(({ account }) => account),
    ...(rerun.costs?.microsOf.keys() ?? []),
  ]);
  const accounts = [...new Set(named)].sort();
  const of = (rerun: Rerun, account: string) => {
    const own = tales(rerun).filter((tale) => tale.account === account);
    return figuresOf(own, rerun.costs && (rerun.costs.microsOf.get(account) ?? 0n));
  };
  return {
    currency: (changed.costs ?? asItWas.costs)?.currency ?? null,
    fleet: { asItWas: fleetOf(asItWas), changed: fleetOf(changed) },
    accounts: accounts.map((account) => ({
      account,
      asItWas: of(asItWas, account),
      changed: of(changed, account),
    })),
    refused: {
      asItWas: asItWas.refused.length,
      changed: changed.refused.length,
      first: changed.refused.filter((text) => !asItWas.refused.includes(text)).slice(0, refusalsShown),
    },
    scrubs: { asItWas: asItWas.scrubs, changed: changed.scrubs },
    jobs: changedMost(asItWas, changed),
  };
}

function tales(rerun: Rerun): JobTale[] {
  return [...rerun.tales.values()];
}

function fleetOf(rerun: Rerun): Figures & { utilization: number } {
  const figures = figuresOf(tales(rerun), sumOf(rerun.costs));
  return { ...figures, utilization: rerun.capacityGpuMs === 0 ? 0 : figures.heldGpuMs / rerun.capacityGpuMs };
}

/** What all accounts together are charged. */
export function sumOf(costs: Costs | undefined): bigint | undefined {
  if (costs === undefined) return undefined;
  let micros = 0n;
  for (const each of costs.microsOf.values()) micros += each;
  return micros;
}

export function figuresOf(of: readonly JobTale[], costMicros?: bigint): Figures {
  const waits = of.map(({ waitMs }) => waitMs);
  const sum = (pick: (tale: JobTale) => number) => of.reduce((total, tale) => total + pick(tale), 0);
  return {
    jobs: of.length,
    started: of.filter(({ firstStartAt }) => firstStartAt !== undefined).length,
    waitMsMean: mean(waits),
    waitMsP50: quantile(waits, 0.5),
    waitMsP90: quantile(waits, 0.9),
    evictions: sum(({ evictions }) => evictions),
    lostGpuMs: sum(({ lostGpuMs }) => lostGpuMs),
    heldGpuMs: sum(({ heldGpuMs }) => heldGpuMs),
    ...(costMicros !== undefined && { costMicros }),
  };
}

function changedMost(asItWas: Rerun, changed: Rerun): Comparison["jobs"] {
  const both = tales(asItWas).flatMap((was) => {
    const is = changed.tales.get(was.job);
    if (is === undefined) return [];
    const { job, name, account, gpus } = was;
    const waitMsChange = is.waitMs - was.waitMs;
    const pair = {
      asItWas: { waitMs: was.waitMs, evictions: was.evictions },
      changed: { waitMs: is.waitMs, evictions: is.evictions },
    };
    return waitMsChange === 0 && was.evictions === is.evictions
      ? []
      : [{ job, name, account, gpus, waitMsChange, ...pair }];
  });
  const byChange = (a: (typeof both)[number], b: (typeof both)[number]) =>
    Math.abs(b.waitMsChange) - Math.abs(a.waitMsChange) || (a.job < b.job ? -1 : 1);
  return both.sort(byChange).slice(0, jobsShown);
}
