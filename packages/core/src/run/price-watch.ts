import { priceChangesAfter, priceHit } from "../gate/price.ts";
import { priceText } from "../gate/price-text.ts";
import type { Event } from "../journal/event.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { stopJob } from "./stop.ts";

/** A price may have changed: a job that would pay more than its `max_price` stops gracefully and waits for a lower one. */
export function priceCame(state: State, now: Instant): Event[] {
  const [next] = priceChangesAfter(state, now);
  if (next !== undefined) state.timers.addOnce({ at: next, kind: "price", subject: 0 });
  state.waiting.roomChanged();
  return [...state.priced].flatMap((job) => leaveForPrice(state, job, now));
}

/** A job that these events put into the burst class may pay more than its `max_price` now: then it stops too. */
export function fellBeyondPrice(state: State, events: readonly Event[], now: Instant): Event[] {
  if (state.priced.size === 0) return [];
  const fallen = new Set<Job>();
  for (const event of events) {
    const job = event.kind === "job-classed" ? state.jobs.get(event.job) : undefined;
    if (job !== undefined) fallen.add(job);
  }
  return [...fallen].flatMap((job) => leaveForPrice(state, job, now));
}

export function leaveForPrice(state: State, job: Job, now: Instant): Event[] {
  if (job.state === "waiting" || job.class !== "burst" || job.leases.length === 0) return [];
  const gpu = job.leases[0]!.gpus[0];
  const hit = gpu === undefined ? undefined : priceHit(state, job, job.choice, state.fleet.gpuModel[gpu]!, now);
  if (hit?.price === undefined) return [];
  return stopJob(state, job, "budget", now, undefined, priceText(hit, job.spec));
}
