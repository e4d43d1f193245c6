import type { Event } from "../journal/event.ts";
import type { Input } from "../journal/input.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal } from "../journal/refusal.ts";
import type { Instant } from "../model/units.ts";
import { fellBeyondPrice } from "../run/price-watch.ts";
import { wakeDue } from "../schedule/due.ts";
import { SchedulerMemory } from "../schedule/memory.ts";
import { schedule } from "../schedule/pass.ts";
import { apply } from "../state/apply/apply.ts";
import type { State } from "../state/state.ts";
import { decide, decideDue } from "./decide.ts";
import { enginesLeft } from "./engines.ts";

export interface BatchOptions {
  /** What the scheduler remembers of earlier batches; without it a batch decides the same and takes longer. */
  readonly memory?: SchedulerMemory;
  /** Called with each event before it is applied. */
  readonly see?: (event: Event, state: State) => void;
}

export interface BatchOutcome {
  /** One per input, in order. */
  readonly decisions: readonly Decision[];
  /** Everything that was decided, in order: by the inputs, by timers, and by the scheduling pass that follows. */
  readonly events: readonly Event[];
  /** The inputs that had an effect; refused and repeated ones are left out. */
  readonly inputs: readonly Input[];
}

/**
 * Decides a batch and applies each event at once: inputs first, then due timers, then the scheduler. If the batch cannot
 * be made durable, this state is ahead of the journal and must be thrown away.
 */
export function decideBatch(
  state: State,
  inputs: readonly Input[],
  now: Instant,
  { memory = new SchedulerMemory(), see = () => {} }: BatchOptions = {},
): BatchOutcome {
  const events: Event[] = [];
  const effective: Input[] = [];
  const decisions: Decision[] = [];
  const take = (event: Event): void => {
    see(event, state);
    apply(state, event);
    events.push(event);
  };
  memory.watch(state);
  if (now > state.clock) state.clock = now;
  for (const input of inputs) {
    const decision = decide(state, input, now);
    decisions.push(decision);
    if (isRefusal(decision)) continue;
    if (decision.events.length > 0) effective.push(input);
    for (const event of decision.events) take(event);
  }
  const before = events.length;
  decideDue(state, now, (due) => {
    for (const event of due) take(event);
  });
  for (const event of enginesLeft(state, now)) take(event);
  wakeDue(state, memory, now);
  let leaving: readonly Event[];
  do {
    schedule(state, memory, now, take);
    leaving = fellBeyondPrice(state, events, now); // placements change classes, and jobs that leave change plans
    for (const event of leaving) take(event);
  } while (leaving.length > 0);
  // Events that time alone caused belong to a tick, whether or not the shell sent one.
  if (events.length > before && effective.length === 0) effective.push({ kind: "tick", v: 1 });
  return { decisions, events, inputs: effective };
}
