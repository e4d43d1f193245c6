import { NodeSet } from "../collections/node-set.ts";
import { SparseIndex } from "../collections/sparse-index.ts";
import { alikeKey } from "../gpu/alike.ts";
import type { Occupant, PartDevice } from "../gpu/seat.ts";
import { unitsPerGpu } from "../model/units.ts";

/** GPUs in use by parts that answer an ask alike: one is asked for all of them. */
export interface SharedGroup {
  readonly key: string;
  readonly device: PartDevice;
  /** Those of one of the GPUs. */
  readonly occupants: readonly Occupant[];
  /** Those that can be had, with what their nodes have left. */
  readonly gpus: SparseIndex;
  /** How many GPUs are in this state, those that cannot be had included. */
  members: number;
  readonly among: Shelf;
}

/** GPUs of a model with about the same compute left. */
interface Shelf {
  readonly gpus: NodeSet;
  readonly groups: Map<string, SharedGroup>;
}

/** The GPUs in use by parts, by their state: there are as many groups as states that occur, however many GPUs. */
export class SharedGpus {
  /** By model and by thousands of units of compute left. */
  readonly #shelves: Shelf[][] = [];
  readonly #groupOf = new Map<number, SharedGroup>();

  get isEmpty(): boolean {
    return this.#groupOf.size === 0;
  }

  /** The states of those of a model with `free` thousands of units of compute left. */
  groupsWith(model: number, free: number): Iterable<SharedGroup> {
    return this.#shelves[model]?.[free]?.groups.values() ?? [];
  }

  /** Each of those, also where it cannot be had now. */
  gpusWith(model: number, free: number): NodeSet | undefined {
    return this.#shelves[model]?.[free]?.gpus;
  }

  /** To be called when the occupants or the pool of a GPU have changed; it must then be noted anew. */
  regroup(gpu: number, model: number, freeUnits: number, device: PartDevice, occupants: readonly Occupant[]): void {
    this.#leave(gpu);
    if (occupants.length === 0) return;
    this.#shelves[model] ??= Array.from({ length: unitsPerGpu / 1_000 + 1 }, () => ({
      gpus: new NodeSet(),
      groups: new Map(),
    }));
    const among = this.#shelves[model][Math.floor(freeUnits / 1_000)]!;
    const key = alikeKey(device, occupants);
    let group = among.groups.get(key);
    if (group === undefined) {
      group = { key, device, occupants, gpus: new SparseIndex(), members: 0, among };
      among.groups.set(key, group);
    }
    among.gpus.add(gpu);
    group.members++;
    this.#groupOf.set(gpu, group);
  }

  /** To be called when the node of a GPU has changed; `open` = the GPU can be had at all. */
  note(gpu: number, open: boolean, cpusMilli: number, memoryMiB: number): void {
    const group = this.#groupOf.get(gpu);
    if (open) group?.gpus.set(gpu, cpusMilli, memoryMiB);
    else group?.gpus.delete(gpu);
  }

  #leave(gpu: number): void {
    const group = this.#groupOf.get(gpu);
    if (group === undefined) return;
    this.#groupOf.delete(gpu);
    group.gpus.delete(gpu);
    group.among.gpus.delete(gpu);
    if (--group.members === 0) group.among.groups.delete(group.key);
  }
}
