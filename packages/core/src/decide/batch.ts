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

export interface BatchOptions {
  /** What the scheduler remembers of the batches before; without it everything is looked at. */
  readonly memory?: SchedulerMemory;
  /** Is shown each event while the state is still without it. */
  readonly see?: (event: Event, state: State) => void;
}

export interface BatchOutcome {
  /** One per input, in order. */
  readonly decisions: readonly Decision[];
  /** Everything that was decided, in order: by the inputs, by timers, and by the scheduling pass that follows. */
  readonly events: readonly Event[];
  /** The inputs that had an effect; what was refused or repeated leaves no trace. */
  readonly inputs: readonly Input[];
}

/**
 * Decides a batch and writes it into the state as it goes: inputs first, then what is due, then one scheduling pass.
 * If the batch cannot be made durable, this state is ahead of the journal and must be thrown away.
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
  wakeDue(state, memory, now);
  let leaving: readonly Event[];
  do {
    schedule(state, memory, now, take);
    leaving = fellBeyondPrice(state, events, now); // classes change with placements, and plans with those who leave
    for (const event of leaving) take(event);
  } while (leaving.length > 0);
  // What time alone brought about is the effect of a tick, whether or not one was asked for.
  if (events.length > before && effective.length === 0) effective.push({ kind: "tick", v: 1 });
  return { decisions, events, inputs: effective };
}
