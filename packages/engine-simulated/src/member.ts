import type { LeaseId, Report } from "@tessera/core";
import type { EngineLease, LeaseOrder, StopOrder } from "@tessera/engine";
import type { Script } from "./script.ts";
import type { Ran } from "./truth.ts";

/** `preparing`, `held` and `starting` are all held to the outside: nothing of the user has run. */
export type Phase = "preparing" | "held" | "starting" | "running" | "stopping" | "gone";

/** One lease on the simulated machines. It outlives the engine object that ordered it. */
export interface Member {
  readonly lease: LeaseId;
  /** Absent for a lease that was stopped before it was ordered. */
  readonly order?: LeaseOrder;
  readonly bootId: string;
  phase: Phase;
  script?: Script;
  startMs: number;
  startedAt?: number;
  endedAt?: number;
  /** When its time limit is reached; Infinity without one. */
  limitAt: number;
  /** Once stopping: the signal it was sent, whether it will heed it, and when it is ended for sure. */
  stop?: StopOrder;
  heeds: boolean;
  /** Once stopping: when it has saved and leaves by itself. */
  leaveAt: number;
  killAt: number;
  overLimit: boolean;
  ran?: Ran;
  /** Calls off the next thing that would happen to it. */
  cancelNext?: () => void;
  /** Reports not yet acknowledged, oldest first. */
  reports: Report[];
  lastSequence: number;
  /** The number of the last report that the listener was given. */
  delivered: number;
  /** The number of the last report for which it is settled whether it is late. */
  fated: number;
  /** Delivery waits: for a while, or until the leases are listed. */
  stalled: boolean;
  /** Called on every change of phase: the readers that follow its log. */
  readonly watchers: Set<() => void>;
}

export function newMember(lease: LeaseId, bootId: string, order?: LeaseOrder): Member {
  return {
    lease,
    bootId,
    phase: "preparing",
    startMs: 0,
    limitAt: Number.POSITIVE_INFINITY,
    heeds: true,
    leaveAt: Number.POSITIVE_INFINITY,
    killAt: Number.POSITIVE_INFINITY,
    overLimit: false,
    reports: [],
    lastSequence: 0,
    delivered: 0,
    fated: 0,
    stalled: false,
    watchers: new Set(),
    ...(order === undefined ? {} : { order }),
  };
}

export function listedState(phase: Phase): EngineLease["state"] {
  switch (phase) {
    case "preparing":
    case "held":
    case "starting":
      return "held";
    default:
      return phase;
  }
}
