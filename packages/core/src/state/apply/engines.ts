import { holdOf } from "../../fleet/mode.ts";
import type { EngineChanged, EngineReached } from "../../journal/event.ts";
import type { EngineState } from "../../model/engine.ts";
import { must } from "../../model/must.ts";
import type { State } from "../state.ts";

/** The part of `apply` that keeps the engines. */
export function applyToEngines(state: State, event: EngineChanged | EngineReached): void {
  const { engine: name, at } = event;
  const known = state.engines.get(name);
  if (event.kind === "engine-reached") {
    const away = event.away === undefined ? undefined : { since: known?.away?.since ?? at, reason: event.away };
    keep(state, { ...must(known, "an engine that is reached is known"), away });
  } else if (event.terms !== undefined) {
    const { createdAt = at, revision = 0, away } = known ?? {};
    keep(state, { name, terms: event.terms, createdAt, revision: revision + 1, away, leaving: event.leaving });
  } else {
    state.engines.delete(name);
  }
  const engine = state.engines.get(name);
  state.fleet.holdEngine(name, engine && holdOf(engine), at);
  state.waiting.listener.standingsChanged();
  state.waiting.roomChanged();
}

/** Keeps an engine, and remembers when it counts as lost; also how a snapshot is read back. */
export function keep(state: State, engine: EngineState): void {
  state.engines.set(engine.name, engine);
  const at = lostAt(engine);
  if (at !== undefined) state.timers.add({ at, kind: "reach", subject: 0 });
}

/** When the jobs of an engine that is out of reach count as lost; undefined = never. */
export function lostAt({ away, terms }: EngineState): number | undefined {
  return away === undefined || terms.lostAfterMs === 0 ? undefined : away.since + terms.lostAfterMs;
}
