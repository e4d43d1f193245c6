import { NodeIndex } from "../collections/node-index.ts";
import type { FleetNode } from "../model/node.ts";

/** Nodes that take work, indexed by the model of their GPUs and the number of free ones: where a search looks. */
export class NodeLists {
  readonly #byFree: NodeIndex[][] = [];
  /** Nodes with GPUs of several models, or without GPUs. */
  readonly odd = new NodeIndex();
  /** The list in which each node is. */
  readonly #listOf: (NodeIndex | undefined)[] = [];

  /** Nodes whose GPUs are all of this model and of which exactly `free` are free. */
  with(model: number, free: number): NodeIndex | undefined {
    return this.#byFree[model]?.[free];
  }

  /** The most GPUs of one model that any node has had. */
  freeMax(model: number): number {
    return (this.#byFree[model]?.length ?? 0) - 1;
  }

  /** Moves a node to the list where it belongs; a node that takes no work is in none. */
  enter(node: FleetNode, model: number, free: number): void {
    const { no } = node;
    const list = node.mode === "up" ? this.#listFor(node, model, free) : undefined;
    const before = this.#listOf[no];
    if (before !== undefined && before !== list) before.delete(no);
    list?.set(no, node.freeCpusMilli, node.freeMemoryMiB);
    this.#listOf[no] = list;
  }

  #listFor({ facts }: FleetNode, model: number, free: number): NodeIndex {
    if (model < 0) return this.odd;
    this.#byFree[model] ??= [];
    const lists = this.#byFree[model];
    while (lists.length <= facts.gpus.length) lists.push(new NodeIndex());
    return lists[free]!;
  }
}
