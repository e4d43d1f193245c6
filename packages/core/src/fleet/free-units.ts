import { grown } from "./gpu-columns.ts";

/**
 * GPU units on nodes that take work and held for no job: free now (`open`), and held by leases that have been asked to
 * stop (`leaving`). Kept as running sums, because each burst start reads them [C5].
 */
export class FreeUnits {
  open = 0;
  leaving = 0;
  /** The same by model, on nodes whose GPUs are all of one. */
  readonly #openOf: number[] = [];
  readonly #leavingOf: number[] = [];
  #nodeOpen = new Int32Array(16);
  #nodeLeaving = new Int32Array(16);

  /** Of one model, on nodes whose GPUs are all of it. */
  of(model: number, onceLeft: boolean): number {
    return (this.#openOf[model] ?? 0) + (onceLeft ? (this.#leavingOf[model] ?? 0) : 0);
  }

  /** Replaces the amounts of a node; `model` is that of all its GPUs, -1 where there are several or none. */
  set(node: number, model: number, open: number, leaving: number): void {
    const moreOpen = open - this.#nodeOpen[node]!;
    const moreLeaving = leaving - this.#nodeLeaving[node]!;
    this.open += moreOpen;
    this.leaving += moreLeaving;
    if (model >= 0) {
      this.#openOf[model] = (this.#openOf[model] ?? 0) + moreOpen;
      this.#leavingOf[model] = (this.#leavingOf[model] ?? 0) + moreLeaving;
    }
    this.#nodeOpen[node] = open;
    this.#nodeLeaving[node] = leaving;
  }

  grow(nodes: number): void {
    if (nodes <= this.#nodeOpen.length) return;
    const size = Math.max(nodes, this.#nodeOpen.length * 2);
    this.#nodeOpen = grown(this.#nodeOpen, new Int32Array(size));
    this.#nodeLeaving = grown(this.#nodeLeaving, new Int32Array(size));
  }
}
