/** The work that each scheduler gets: one-GPU jobs of many teams, or gangs of whole nodes, onto an empty fleet. */
export interface Work {
  readonly case: "fill" | "gangs";
  readonly nodes: number;
  readonly gpusPerNode: number;
  readonly jobs: number;
  /** Nodes of one job; each job takes `gpusEach` GPUs on each of them. */
  readonly nodesEach: number;
  readonly gpusEach: number;
  readonly teams: number;
}

/** The result of one scheduler. */
export interface PeerResult {
  readonly peer: string;
  readonly case: Work["case"];
  /** Jobs that got their seats within the time. */
  readonly placed: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** The version, and how it was run. */
  readonly ran: string;
}

/** A scheduler that could not be run, with the reason. */
export interface PeerMissing {
  readonly peer: string;
  readonly case: Work["case"];
  readonly missing: string;
}

/** Something that this machine lacks, in words for the reader of the result. */
export class Unavailable extends Error {}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
