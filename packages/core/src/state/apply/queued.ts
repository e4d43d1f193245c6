import type { Job } from "../../model/job.ts";
import { orderOf } from "../../quota/accounts.ts";
import type { State } from "../state.ts";
import { wishOf } from "../wish-of.ts";

/** A job that could start now is in the queue; one that is held, dependent or early is not. */
export function queueOrPark(state: State, job: Job): void {
  if (job.state !== "waiting" || job.held || job.waitsFor > 0 || job.claim !== undefined) {
    leaveQueue(state, job);
  } else if (job.notBeforeAt > state.clock) {
    leaveQueue(state, job);
    state.timers.add({ at: job.notBeforeAt, kind: "wake", subject: job.no });
  } else {
    state.waiting.add(job, wishOf(state, job.spec), orderOf(state, job.account));
  }
}

/** Who is not in the queue has no plan either. */
export function leaveQueue(state: State, job: Job): void {
  state.waiting.remove(job);
  dropPlan(state, job);
}

/** What was kept for it is there for those behind it. */
export function dropPlan(state: State, job: Job): void {
  if (state.planned.size > 0 && state.planned.delete(job)) state.waiting.roomChanged(state.clock);
}
