import type { Event } from "../journal/event.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { Rest } from "../model/rest.ts";
import type { Instant } from "../model/units.ts";
import { nodesTouched } from "../state/rest.ts";
import type { State } from "../state/state.ts";

/** A stretch in which so much of a GPU was left to the tenant that has its node to itself. */
export interface RestStretch extends Rest {
  readonly gpu: GpuNo;
  readonly toAt: Instant;
}

/** A GPU of which something else is left from now on. */
export interface RestChange {
  readonly gpu: GpuNo;
  readonly at: Instant;
  readonly rest: Rest | undefined;
}

/**
 * Follows what is left of the nodes of confidential tenants. Shown each event while the state is still without it; what
 * an event changed is told with the next one, or at the end of the batch.
 */
export class RestWatch {
  readonly #closed: (stretch: RestStretch, state: State) => void;
  readonly #changed: (change: RestChange, state: State) => void;
  readonly #pending: { readonly gpu: GpuNo; readonly before: Rest | undefined; readonly at: Instant }[] = [];
  #trustMayChange: Instant | undefined;
  #nodeChanged = false;

  constructor(
    closed: (stretch: RestStretch, state: State) => void,
    changed: (change: RestChange, state: State) => void = () => {},
  ) {
    this.#closed = closed;
    this.#changed = changed;
  }

  see(event: Event, state: State): void {
    this.settle(state);
    if (event.kind === "account-edited") {
      this.#trustMayChange = event.at;
      for (const [gpu, before] of state.rest) this.#pending.push({ gpu, before, at: event.at });
    }
    if (state.confidential === 0) return;
    this.#nodeChanged = event.kind === "node-changed";
    for (const no of new Set(nodesTouched(state, event))) this.#note(state, no, event.at);
  }

  #note({ fleet, rest }: State, no: NodeNo, at: Instant): void {
    const { firstGpu, facts } = fleet.node(no);
    for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++)
      this.#pending.push({ gpu: gpu as GpuNo, before: rest.get(gpu as GpuNo), at });
  }

  /** Tells what the last event has changed. */
  settle(state: State): void {
    if (this.#trustMayChange !== undefined) this.#noteNew(state, this.#trustMayChange);
    this.#trustMayChange = undefined;
    if (this.#pending.length === 0) return;
    for (const { gpu, before, at } of this.#pending.splice(0)) {
      const rest = state.rest.get(gpu);
      if (rest === before && !(this.#nodeChanged && rest !== undefined)) continue;
      const toAt = Math.max(at, before?.since ?? at);
      if (before !== undefined && rest !== before && toAt > before.since) this.#closed({ ...before, gpu, toAt }, state);
      this.#changed({ gpu, at: toAt, rest }, state);
    }
  }

  /** GPUs that have become a tenant's own by a change of trust. */
  #noteNew(state: State, at: Instant): void {
    const known = new Set(this.#pending.map(({ gpu }) => gpu));
    for (const gpu of state.rest.keys()) if (!known.has(gpu)) this.#pending.push({ gpu, before: undefined, at });
  }
}
