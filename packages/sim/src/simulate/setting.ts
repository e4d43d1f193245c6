import type { AccountTerms, JobSpec, NodeFacts, Policy } from "@tessera/core";

/** A job of a trace: its request, when it arrives, and how long it really takes, which the scheduler never sees. */
export interface Arrival {
  /** Unique; as the trace names it. */
  readonly name: string;
  readonly account: string;
  readonly user?: string;
  readonly spec: JobSpec;
  readonly submitAt: number;
  /** From its start to its own end, when nothing interrupts it. */
  readonly runMs: number;
}

/** A node that is lost at one instant and comes back at another. */
export interface Outage {
  readonly node: string;
  readonly at: number;
  readonly backAt: number;
}

/** All that a simulation begins with. The same setting gives the same result on any machine. */
export interface Setting {
  readonly nodes: readonly NodeFacts[];
  /** Parents come before their children. */
  readonly accounts: readonly { readonly path: string; readonly terms: AccountTerms }[];
  readonly policy: Policy;
  /** By the instant of submission. */
  readonly arrivals: readonly Arrival[];
  readonly outages?: readonly Outage[];
  /** From being placed to running, at every start. */
  readonly startMs?: number;
  /** How far apart the samples of the fleet are; none are taken without it. */
  readonly sampleMs?: number;
  /** The end of the observed time; without it, the end of the last job. */
  readonly untilAt?: number;
  /** Called from time to time with the number of jobs that have ended, and when nothing more will happen. */
  readonly progress?: (jobsOver: number, done: boolean) => void;
}
