import type { Event } from "../journal/event.ts";
import type { NodeNo } from "../model/ids.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { nodesTouched } from "../state/rest.ts";
import type { State } from "../state/state.ts";

/** Whether what is free of a node's GPUs is of use to nobody: all its cores or all its memory are held. */
export function isStranded({ mode, facts, freeCpusMilli, freeMemoryMiB }: FleetNode): boolean {
  if (mode === "down" || mode === "maintenance" || facts.gpus.length === 0) return false;
  return (facts.cpusMilli > 0 && freeCpusMilli <= 0) || (facts.memoryMiB > 0 && freeMemoryMiB <= 0);
}

/**
 * Follows GPUs that are free and stranded. Shown each event while the state is still without it; what an event changed is
 * told with the next one, or at the end of the batch.
 */
export class StrandWatch {
  readonly #pending = new Map<NodeNo, { readonly at: Instant; readonly was: boolean }>();

  see(event: Event, state: State, changed: (node: NodeNo, at: Instant) => void): void {
    this.settle(state, changed);
    for (const no of nodesTouched(state, event)) {
      const node = state.fleet.nodes[no];
      if (node !== undefined) this.#pending.set(no, { at: event.at, was: isStranded(node) });
    }
  }

  /** Tells of nodes that are stranded, or were until the last event. */
  settle(state: State, changed: (node: NodeNo, at: Instant) => void): void {
    for (const [no, { at, was }] of this.#pending) {
      const node = state.fleet.nodes[no];
      if (node !== undefined && (was || isStranded(node))) changed(no, at);
    }
    this.#pending.clear();
  }
}
