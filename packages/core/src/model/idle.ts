import { durationText } from "./duration.ts";
import { day, type Instant, minute, second } from "./units.ts";

/** What becomes of a job that is idle for its limit, the mildest first. */
export const idleActions = ["notify", "suspend", "stop"] as const;
export type IdleAction = (typeof idleActions)[number];

/** A job is idle while all its GPUs are measured and below this activity [L4]. */
export interface IdleRule {
  readonly do: IdleAction;
  readonly forMs: number;
  /** In ten-thousandths. */
  readonly gpuBelow: number;
}

/** The rule of an account. */
export interface IdleTerms extends IdleRule {
  /** Jobs below may have milder rules of their own; absent = only stricter ones. */
  readonly relax?: true;
}

export const idleBounds = {
  forMs: { min: 30 * second, max: 30 * day },
  gpuBelow: { min: 10, max: 5_000 },
} as const;

/** The rule of a job beside that of its account: a job may be stricter, and milder only where its account allows it. */
export function strictest(own: IdleRule | undefined, account: IdleTerms | undefined): IdleRule | undefined {
  if (account === undefined || (own !== undefined && account.relax)) return own;
  if (own === undefined) return account;
  return {
    do: idleActions.indexOf(own.do) > idleActions.indexOf(account.do) ? own.do : account.do,
    forMs: Math.min(own.forMs, account.forMs),
    gpuBelow: Math.max(own.gpuBelow, account.gpuBelow),
  };
}

/** How long before it acts its user is warned: a third of the limit, ten minutes at most. */
export function idleWarningMs({ forMs }: IdleRule): number {
  return Math.min(10 * minute, Math.floor(forMs / 3));
}

/** `5%`, `0.1%`. */
export function shareText(tenThousandths: number): string {
  return `${tenThousandths / 100}%`;
}

/** What was seen of an idle job: the most that one of its GPUs did since then, and when that began. */
export interface IdleSight {
  readonly activity: number;
  readonly since: Instant;
}

export function idleWhy({ activity }: IdleSight, { forMs, gpuBelow }: IdleRule): string {
  return `its GPUs were below ${shareText(gpuBelow)} for ${durationText(forMs)} (measured at most ${shareText(activity)})`;
}
