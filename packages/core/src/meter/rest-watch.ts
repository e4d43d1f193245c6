import type { Event } from "../journal/event.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { NodeRemainder } from "../model/remainder.ts";
import type { Instant } from "../model/units.ts";
import { nodesTouched } from "../state/apply/remainder.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { RestStretch } from "./stretch.ts";

/** A GPU whose unheld remainder is another one from `at` on; undefined where its node is no longer dedicated. */
export interface RestChange {
  readonly gpu: GpuNo;
  readonly at: Instant;
  readonly rest: NodeRemainder | undefined;
}

interface Listener {
  /** A stretch of the remainder is over. */
  closed(stretch: RestStretch, state: ReadonlyState): void;
  changed(change: RestChange, state: ReadonlyState): void;
}

/**
 * Watches the unheld remainder of dedicated nodes [U3]. Call `see` for each event before it is applied. What an event
 * did to `state.rest` is visible only afterwards, so it is reported with the next event, or by `settle`.
 */
export class RestWatch {
  readonly #listener: Listener;
  /** GPUs that the last event may have changed, with their remainder before it. */
  readonly #pending: { readonly gpu: GpuNo; readonly before: NodeRemainder | undefined; readonly at: Instant }[] = [];
  #trustMayChangeAt: Instant | undefined;
  #nodeChanged = false;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  see(event: Event, state: ReadonlyState): void {
    this.settle(state);
    if (event.kind === "account-edited") {
      this.#trustMayChangeAt = event.at;
      for (const [gpu, before] of state.rest) this.#pending.push({ gpu, before, at: event.at });
    }
    if (state.confidential === 0) return;
    this.#nodeChanged = event.kind === "node-changed";
    for (const no of new Set(nodesTouched(state, event))) this.#note(state, no, event.at);
  }

  #note({ fleet, rest }: ReadonlyState, no: NodeNo, at: Instant): void {
    const { firstGpu, facts } = fleet.node(no);
    for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++)
      this.#pending.push({ gpu: gpu as GpuNo, before: rest.get(gpu as GpuNo), at });
  }

  /** Reports what the last event changed. */
  settle(state: ReadonlyState): void {
    if (this.#trustMayChangeAt !== undefined) this.#noteNew(state, this.#trustMayChangeAt);
    this.#trustMayChangeAt = undefined;
    if (this.#pending.length === 0) return;
    for (const { gpu, before, at } of this.#pending.splice(0)) {
      const rest = state.rest.get(gpu);
      // A change of its node's mode wrote the device as idle, so a remainder that stayed the same is reported again.
      if (rest === before && !(this.#nodeChanged && rest !== undefined)) continue;
      const toAt = Math.max(at, before?.since ?? at);
      if (before !== undefined && rest !== before && toAt > before.since)
        this.#listener.closed({ ...before, gpu, toAt }, state);
      this.#listener.changed({ gpu, at: toAt, rest }, state);
    }
  }

  /** GPUs that a change of trust made part of a dedicated node. */
  #noteNew(state: ReadonlyState, at: Instant): void {
    const known = new Set(this.#pending.map(({ gpu }) => gpu));
    for (const gpu of state.rest.keys()) if (!known.has(gpu)) this.#pending.push({ gpu, before: undefined, at });
  }
}
