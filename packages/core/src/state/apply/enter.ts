import { noSlot } from "../../collections/slots.ts";
import type { Job } from "../../model/job.ts";
import { accountOf } from "../../quota/accounts.ts";
import type { State } from "../state.ts";
import { activate, deactivate } from "./active.ts";
import { dropClaim, keepClaim } from "./claims.ts";
import { countWaiting, forgetIdleUser } from "./count-usage.ts";
import { leaveQueue, queueOrPark } from "./queued.ts";

/** Enters a job in all indexes; also how a snapshot is read back. */
export function addJob(state: State, job: Job): void {
  job.slot = state.slots.take();
  state.jobs.set(job.no, job);
  state.jobById.add(job);
  const account = accountOf(state, job.account);
  account.liveJobs++;
  state.load.hold(account.tenant, job);
  if (job.spec.apartFrom !== undefined) {
    state.apart.count(job, 1);
    state.waiting.regroup(job.account);
  }
  if (job.spec.maxPriceMicros !== undefined || job.spec.budgetMicros !== undefined) state.priced.add(job);
  if (job.spec.deadlineAt !== undefined)
    state.timers.add({ at: job.spec.deadlineAt, kind: "deadline", subject: job.no });
  if (job.state === "waiting") {
    countWaiting(state, job, 1);
    queueOrPark(state, job);
    if (job.claim !== undefined) keepClaim(state, job, job.claim);
  } else {
    activate(state, job);
    if (job.claim !== undefined) keepClaim(state, job, job.claim);
  }
}

/** Takes a job out of all indexes that `addJob` entered it in. */
export function removeJob(state: State, job: Job): void {
  dropClaim(state, job);
  if (job.state === "waiting") {
    leaveQueue(state, job);
    countWaiting(state, job, -1);
  } else {
    deactivate(state, job);
    if (job.array !== undefined) state.arrays.get(job.array)!.active--;
  }
  forgetIdleUser(state, job);
  state.slots.give(job.slot);
  job.slot = noSlot;
  state.jobs.delete(job.no);
  state.jobById.delete(job.id);
  state.priced.delete(job);
  const account = accountOf(state, job.account);
  account.liveJobs--;
  state.load.letGo(account.tenant, job);
  if (job.spec.apartFrom !== undefined) state.apart.count(job, -1);
}
