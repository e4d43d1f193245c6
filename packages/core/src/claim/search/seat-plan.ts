import type { Seat } from "../../journal/event.ts";
import type { Victim } from "../draft/victim.ts";
import { isOwn, type Rule } from "../rules/rule.ts";

/** Seats for all members and the victims that leave them. */
export interface SeatPlan {
  readonly seats: readonly Seat[];
  readonly victims: ReadonlyMap<Victim, Rule>;
  /** Work that the victims lose. */
  readonly lost: number;
}

export function takesOwn({ victims }: Pick<SeatPlan, "victims">): boolean {
  return [...victims.values()].some(isOwn);
}

/** Others' work before that of its own account [T4], the least work lost, members before jobs, the fewest victims [T5]. */
export function compareCosts(a: SeatPlan, b: SeatPlan): number {
  const own = Number(takesOwn(a)) - Number(takesOwn(b));
  return own || a.lost - b.lost || jobsOf(a) - jobsOf(b) || a.victims.size - b.victims.size;
}

/** How many jobs leave whole. */
function jobsOf({ victims }: SeatPlan): number {
  let jobs = 0;
  for (const { extra } of victims.keys()) if (!extra) jobs++;
  return jobs;
}
