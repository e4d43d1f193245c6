import type { Job } from "../../model/job.ts";
import { queueOrderOf } from "../../quota/accounts.ts";
import type { State } from "../state.ts";
import { wishOf } from "../wish-of.ts";

/** Puts a job into the queue if only room and quota can keep it from starting; a held, dependent or early job leaves. */
export function queueOrPark(state: State, job: Job): void {
  if (job.state !== "waiting" || job.held || job.waitsFor > 0 || job.claim !== undefined) {
    leaveQueue(state, job);
  } else if (job.notBeforeAt > state.clock) {
    leaveQueue(state, job);
    state.timers.add({ at: job.notBeforeAt, kind: "wake", subject: job.no });
  } else {
    state.waiting.add(job, wishOf(state, job), queueOrderOf(state, job.account));
  }
}

/** A job that leaves the queue loses its planned start too. */
export function leaveQueue(state: State, job: Job): void {
  state.waiting.remove(job);
  dropPlan(state, job);
}

/** Ends a planned start: the room that was kept for it is there for the jobs behind it. */
export function dropPlan(state: State, job: Job): void {
  if (state.planned.size > 0 && state.planned.delete(job)) state.waiting.roomChanged();
}
