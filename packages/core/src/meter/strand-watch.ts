import type { Event } from "../journal/event.ts";
import type { NodeNo } from "../model/ids.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { nodesTouched } from "../state/apply/remainder.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** Whether the free GPUs of a node cannot be used, because all its cores or all its memory are held. */
export function isStranded({ mode, facts, freeCpusMilli, freeMemoryMiB }: FleetNode): boolean {
  if (mode === "down" || mode === "maintenance" || facts.gpus.length === 0) return false;
  return (facts.cpusMilli > 0 && freeCpusMilli <= 0) || (facts.memoryMiB > 0 && freeMemoryMiB <= 0);
}

/**
 * Watches for nodes whose free GPUs are stranded. Call `see` for each event before it is applied. What an event changed
 * is visible only afterwards, so it is reported with the next event, or by `settle`.
 */
export class StrandWatch {
  readonly #changed: (node: NodeNo, at: Instant, state: ReadonlyState) => void;
  /** Nodes that the last event touched, and whether they were stranded before it. */
  readonly #pending = new Map<NodeNo, boolean>();
  #at: Instant = 0;

  constructor(changed: (node: NodeNo, at: Instant, state: ReadonlyState) => void) {
    this.#changed = changed;
  }

  see(event: Event, state: ReadonlyState): void {
    this.settle(state);
    this.#at = event.at;
    for (const no of nodesTouched(state, event)) {
      const node = state.fleet.nodes[no];
      if (node !== undefined) this.#pending.set(no, isStranded(node));
    }
  }

  /** Reports the touched nodes that are stranded now or were before the last event. */
  settle(state: ReadonlyState): void {
    if (this.#pending.size === 0) return;
    // An engine may tell late that a member ended: other GPUs of the node may have been given back since then, and the
    // record of a GPU is written forward only.
    const at = Math.max(this.#at, state.clock);
    for (const [no, was] of this.#pending) {
      const node = state.fleet.nodes[no];
      if (node !== undefined && (was || isStranded(node))) this.#changed(no, at, state);
    }
    this.#pending.clear();
  }
}
