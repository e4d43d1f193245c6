import { EffortBudget } from "../claim/effort-budget.ts";
import type { Event } from "../journal/event.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import type { SchedulerMemory } from "./memory.ts";
import { Turn } from "./turn.ts";

/** What a scheduling pass works on. */
export interface World {
  readonly state: State;
  readonly memory: SchedulerMemory;
  readonly now: Instant;
  /** Writes a decision into the state. */
  readonly apply: (event: Event) => void;
  readonly effort: EffortBudget;
  readonly turn: Turn;
}

export function worldOf(state: State, memory: SchedulerMemory, now: Instant, apply: (event: Event) => void): World {
  const effort = new EffortBudget(state, now, memory.full);
  return { state, memory, now, apply, effort, turn: new Turn(state, now) };
}
