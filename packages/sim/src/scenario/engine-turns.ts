import type { Command, ReadonlyState } from "@tessera/core";
import type { StepInput } from "./scenario.ts";

/** An engine has terms from its first turn on. */
export function engineCommands(
  state: Pick<ReadonlyState, "engines">,
  { engine: name, to }: Extract<StepInput, { kind: "engine" }>,
): Command[] {
  const terms = { kind: "simulated", lostAfterMs: 0, settings: {} } as const;
  const first: Command[] = state.engines.has(name) ? [] : [{ kind: "engine.create", name, terms }];
  const reason = "the scenario says so";
  const turns = {
    away: { kind: "engine.reach", name, away: reason },
    back: { kind: "engine.reach", name },
    cordon: { kind: "engine.cordon", name, reason },
    up: { kind: "engine.up", name },
  } as const satisfies Record<typeof to, Command>;
  return [...first, turns[to]];
}
