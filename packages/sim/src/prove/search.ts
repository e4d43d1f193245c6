import type { Scenario } from "../scenario/scenario.ts";
import { seedOf } from "./dice.ts";
import { generate, inTwoEngines } from "./generate.ts";
import { shrink } from "./shrink.ts";
import { runTrial, type Trial } from "./trial.ts";
import type { Finding } from "./watch.ts";

/** What is printed at the end; all but the first two must be 0. */
export interface Tally {
  cases: number;
  events: number;
  livelocks: number;
  floorBroken: number;
  maxBroken: number;
  gangSplit: number;
  overCapacity: number;
  trustBroken: number;
  uselessEvictions: number;
  differsFromNaive: number;
  /** Cases in which the state was written out and read back before each batch. */
  restarted: number;
}

const counterOf = {
  livelock: "livelocks",
  floor: "floorBroken",
  max: "maxBroken",
  gang: "gangSplit",
  capacity: "overCapacity",
  trust: "trustBroken",
  useless: "uselessEvictions",
  rule: "differsFromNaive",
  threw: "differsFromNaive",
} as const satisfies Record<Finding["kind"], keyof Tally>;

/** Small enough that all sets of victims can be tried in each case. */
export const bounds = { victimsMax: 4, setsMax: 300 };
/** One of this many cases is played with a restart before each batch. */
const restartedEvery = 4;

export interface Failing {
  readonly index: number;
  readonly scenario: Scenario;
  readonly finding: NonNullable<Trial["finding"]>;
  readonly restarts: boolean;
}

export interface SearchPlan {
  readonly seed: number;
  readonly first: number;
  readonly cases: number;
  /** The nodes of each case are in two engines. */
  readonly twoEngines?: boolean;
  /** Called after each case; true ends the search. */
  readonly enough?: (failing: readonly Failing[], index: number) => boolean;
}

/** Runs random cases one after another and counts the faults by kind. */
export function search({ seed, first, cases, twoEngines, enough }: SearchPlan): { tally: Tally; failing: Failing[] } {
  const tally: Tally = {
    ...{ cases: 0, events: 0, livelocks: 0, floorBroken: 0, maxBroken: 0, gangSplit: 0, overCapacity: 0 },
    ...{ trustBroken: 0, uselessEvictions: 0, differsFromNaive: 0, restarted: 0 },
  };
  const failing: Failing[] = [];
  for (let index = first; index < first + cases; index++) {
    const own = seedOf(seed, index);
    const scenario = twoEngines ? inTwoEngines(generate(own), own) : generate(own);
    const restarts = index % restartedEvery === restartedEvery - 1;
    const { events, finding } = runTrial(scenario, { bounds, restarts });
    tally.cases++;
    if (restarts) tally.restarted++;
    tally.events += events;
    if (finding !== undefined) {
      tally[counterOf[finding.kind]]++;
      failing.push({ index, scenario, finding, restarts });
    }
    if (enough?.(failing, index)) break;
  }
  return { tally, failing };
}

/** The smallest scenario that fails in the same way: of the same kind and by the same rule. */
export function shrunk({ scenario, finding, restarts }: Failing): { scenario: Scenario; finding: Finding } {
  const sign = signOf(finding);
  const small = shrink(scenario, (smaller) => {
    const { finding: other } = runTrial(smaller, { bounds, restarts });
    return other !== undefined && signOf(other) === sign;
  });
  return { scenario: small, finding: runTrial(small, { bounds, restarts }).finding! };
}

/** What makes two findings the same: their kind and the rule they cite, or where the core threw. */
export function signOf({ kind, what }: Finding): string {
  return `${kind} ${/\[[^\]]*\]/.exec(what)?.[0] ?? what.replaceAll(/\d+/g, "").slice(0, 60)}`;
}
