import type { Job } from "../../model/job.ts";
import type { FullMarks } from "../../place/full-marks.ts";
import { findSeats } from "../../place/seats.ts";
import type { Wish, WishOption } from "../../state/indexes/wish.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";

/** Whether a seat is free. A job that does not get it lacks quota, or it is kept for a plan [B2]: no victim is needed. */
export function hasFreeSeat(
  state: ReadonlyState,
  job: Job,
  wish: Wish,
  { choice, model }: Pick<WishOption, "choice" | "model">,
  full: FullMarks,
): boolean {
  if (full.isFull(state, wish, job.spec, job.account)) return false;
  return typeof findSeats(state, job, choice, model) === "object";
}
