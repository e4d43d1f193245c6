import { NodeSet } from "../collections/node-set.ts";
import { SparseIndex } from "../collections/sparse-index.ts";
import { alikeKey } from "../gpu/alike.ts";
import type { Occupant, PartDevice } from "../gpu/seat.ts";
import { unitsPerGpu } from "../model/units.ts";

/** Shared GPUs in the same state: one of them is examined for all. */
export interface SharedGroup {
  readonly key: string;
  readonly device: PartDevice;
  /** The occupants of one of the GPUs. */
  readonly occupants: readonly Occupant[];
  /** The GPUs on nodes that take work and held for no job, with the free cores and memory of their nodes. */
  readonly gpus: SparseIndex;
  /** All GPUs in this state, also those that are held or on nodes that take no work. */
  members: number;
  readonly among: Shelf;
}

/** Shared GPUs of a model with about the same free compute. */
interface Shelf {
  readonly gpus: NodeSet;
  readonly groups: Map<string, SharedGroup>;
}

/** The shared GPUs, grouped by state: a search examines one GPU per state, however many GPUs there are. */
export class SharedGpus {
  /** By model, and by thousands of free units of compute. */
  readonly #shelves: Shelf[][] = [];
  readonly #groupOf = new Map<number, SharedGroup>();

  get isEmpty(): boolean {
    return this.#groupOf.size === 0;
  }

  /** The groups of a model with `free` thousands of free units of compute. */
  groupsWith(model: number, free: number): Iterable<SharedGroup> {
    return this.#shelves[model]?.[free]?.groups.values() ?? [];
  }

  /** All their GPUs, also those that are held or on nodes that take no work. */
  gpusWith(model: number, free: number): NodeSet | undefined {
    return this.#shelves[model]?.[free]?.gpus;
  }

  /** Call when the occupants or the pool of a GPU have changed; `note` must follow. */
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

  /** Call when the node of a GPU has changed; `open` = the node takes work and the GPU is held for no job. */
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
