import type { Job } from "../../model/job.ts";
import { unitsPerGpu } from "../../model/units.ts";

/** Whether `a` goes before `b`, two jobs of an account with the same request and progress; needs no state. */
export function beforeAlike(a: Job, b: Job, order: "age" | "attained-service"): boolean {
  if (a.spec.priority !== b.spec.priority) return a.spec.priority > b.spec.priority;
  const key = order === "age" ? 0 : attainedUnitMs(a) - attainedUnitMs(b);
  // A requeued job keeps its number, hence its place.
  return key !== 0 ? key < 0 : a.no < b.no;
}

/** GPU time of the attempts that are over. */
function attainedUnitMs(job: Job): number {
  let unitMs = 0;
  for (const { seats, startedAt, endedAt } of job.attempts) {
    if (startedAt === 0) continue;
    for (const { gpus, part } of seats) unitMs += (part?.compute ?? unitsPerGpu) * gpus.length * (endedAt - startedAt);
  }
  return unitMs;
}
