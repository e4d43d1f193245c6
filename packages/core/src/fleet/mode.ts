import type { EngineState } from "../model/engine.ts";
import type { NodeCondition, NodeMode, OwnMode } from "../model/node.ts";

/** Why no node of an engine takes new work. */
export interface EngineHold {
  readonly mode: "cordoned" | "unknown";
  readonly reason: string;
}

/** What an engine's own state means for its nodes; undefined = nothing. */
export function holdOf({ name, terms, away, leaving }: EngineState): EngineHold | undefined {
  if (away !== undefined) return { mode: "unknown", reason: `engine ${name} is out of reach: ${away.reason}` };
  if (leaving) return { mode: "cordoned", reason: `engine ${name} is being removed` };
  if (terms.cordoned === undefined) return undefined;
  return { mode: "cordoned", reason: `engine ${name} is cordoned${terms.cordoned && `: ${terms.cordoned}`}` };
}

/**
 * The mode that a node is in: what its owner said comes first; then what cannot be seen, and then what its engine says of
 * the node or the owner of the engine.
 */
export function modeFor(
  own: { readonly mode: OwnMode; readonly reason: string },
  condition: NodeCondition | undefined,
  hold: EngineHold | undefined,
): { readonly mode: NodeMode; readonly reason: string } {
  if (own.mode !== "up") return own;
  if (hold?.mode === "unknown") return hold;
  if (condition !== undefined) return { mode: condition.state, reason: condition.reason };
  return hold ?? own;
}
