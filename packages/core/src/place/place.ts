import type { JobPlaced } from "../journal/event.ts";
import { noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import { limitHit } from "../queue/limits.ts";
import { ceilingHit, coverFor } from "../queue/quota.ts";
import type { State } from "../state/state.ts";
import { modelMatches } from "../submit/gpus.ts";
import { findSeats, needOf } from "./seats.ts";

/** Everything a placement fixes but the attempt and the time. */
export type Placement = Pick<JobPlaced, "choice" | "unitsEach" | "class" | "cover" | "seats">;

/** Model numbers that satisfy an alternative, in order of appearance; `[-1]` when no GPU is asked for. */
export function modelsFor(state: State, job: Pick<Job, "spec">, choice: number): number[] {
  const ask = job.spec.gpus[choice]!;
  if (ask.count === 0) return [-1];
  const found: number[] = [];
  for (const [no, model] of state.fleet.models.entries()) if (modelMatches(ask.model, model)) found.push(no);
  return found;
}

/** Where the job can start now and as what, trying its alternatives in order; undefined = nowhere. */
export function placeJob(state: State, job: Job, now: Instant): Placement | undefined {
  const { spec } = job;
  const { min: members, apart } = spec.members;
  for (let choice = 0; choice < spec.gpus.length; choice++) {
    const ask = spec.gpus[choice]!;
    const units = ask.count * ask.unitsEach * members;
    if (limitHit(state, job, units, unitsPerGpu, now) !== undefined) return undefined;
    for (const model of modelsFor(state, job, choice)) {
      const add = { model, units };
      if (ceilingHit(state, job.account, add, spec.cpusMilli * members, spec.memoryMiB * members) !== undefined)
        continue;
      const cover = coverFor(state, job.account, add);
      if (cover === noAccount && !spec.preemptible) continue;
      const seats = findSeats(state.fleet, needOf(spec, choice, model), members, apart);
      if (seats === undefined) continue;
      return { choice, unitsEach: ask.unitsEach, class: cover === noAccount ? "burst" : "guaranteed", cover, seats };
    }
  }
  return undefined;
}
