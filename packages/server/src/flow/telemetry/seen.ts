import { type FleetNode, type Lease, type LeaseId, nodeKey, type ReadonlyState } from "@tessera/core";

interface NodeSeen {
  readonly node: FleetNode | undefined;
  /** Its name in the fleet. */
  readonly key: string;
}

/** What one answer of an engine names. It names nodes and leases many times, and the GPUs of a node mostly in their order. */
export class Seen {
  readonly #state: ReadonlyState;
  readonly #engine: string;
  readonly #nodes = new Map<string, NodeSeen>();
  readonly #leases = new Map<LeaseId, Lease | undefined>();
  #nextIndex = 0;

  constructor(state: ReadonlyState, engine: string) {
    this.#state = state;
    this.#engine = engine;
  }

  node(name: string): NodeSeen {
    let seen = this.#nodes.get(name);
    if (seen === undefined) {
      const key = nodeKey({ engine: this.#engine, name });
      seen = { node: this.#state.fleet.nodeByName.get(key), key };
      this.#nodes.set(name, seen);
    }
    return seen;
  }

  /** Which GPU of a node it is; -1 = none. */
  indexOf({ facts: { gpus } }: FleetNode, uuid: string): number {
    if (gpus[this.#nextIndex]?.uuid !== uuid) this.#nextIndex = gpus.findIndex((gpu) => gpu.uuid === uuid);
    return this.#nextIndex < 0 ? -1 : this.#nextIndex++;
  }

  lease(id: LeaseId): Lease | undefined {
    if (!this.#leases.has(id)) this.#leases.set(id, this.#state.leases.get(id));
    return this.#leases.get(id);
  }
}
