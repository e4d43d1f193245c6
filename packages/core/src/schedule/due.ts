import type { AccountNo, JobNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import type { SchedulerMemory } from "./memory.ts";

/** When the next batch is due if no input arrives; undefined = never. */
export function nextDueAt({ timers, waiting }: State, memory: SchedulerMemory): Instant | undefined {
  const turnAt = waiting.isLong ? waiting.turnAt : undefined;
  const next = Math.min(timers.nextAt ?? never, memory.timers.nextAt ?? never, turnAt ?? never);
  return next === never ? undefined : next;
}

/** Wakes what the scheduler wanted to try again by now. */
export function wakeDue(state: State, memory: SchedulerMemory, now: Instant): void {
  for (const { kind, subject } of memory.timers.takeDue(now)) {
    if (kind === "quantum") {
      for (const group of state.waiting.ofAccount(subject as AccountNo)) memory.firstChanged(group);
    } else if (kind === "limit" || state.jobs.has(subject as JobNo)) {
      state.waiting.roomChanged();
    }
  }
}

const never = Number.POSITIVE_INFINITY;
