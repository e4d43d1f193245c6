import type { Event } from "./journal/event.ts";
import type { Instant } from "./model/units.ts";
import { placeJob } from "./place/place.ts";
import { Contest } from "./queue/order.ts";
import type { State } from "./state/state.ts";

/**
 * One scheduling pass over what an event may have unblocked. It takes the next wish in order, gives it seats if there
 * are any, else passes over everyone who wants the same. Each placement is applied before the next is looked for.
 */
export function decidePlacements(state: State, now: Instant, apply: (event: Event) => void): void {
  const contest = new Contest(state, state.waiting.takeAwake());
  for (;;) {
    const group = contest.next(); // who is next
    if (group === undefined) return;
    const job = group.jobs[0]!;
    const array = job.array === undefined ? undefined : state.arrays.get(job.array);
    const full = array !== undefined && array.active >= (job.spec.array?.atOnceMax ?? array.size);
    const placement = full ? undefined : placeJob(state, job, now); // where does it go
    if (placement === undefined) {
      contest.close(group); // nobody who wants the same can start either
      continue;
    }
    apply({ kind: "job-placed", v: 1, at: now, job: job.no, attempt: job.attempt, ...placement });
    contest.started(group);
  }
}
