/** Free GPUs of alike nodes: a gang goes to the tightest node that holds it, a larger one to nodes that are free as a whole. */
export class NodeFill {
  readonly #free: Int32Array;
  readonly #gpusPerNode: number;
  #freeInAll: number;

  constructor(nodes: number, gpusPerNode: number) {
    this.#free = new Int32Array(nodes).fill(gpusPerNode);
    this.#gpusPerNode = gpusPerNode;
    this.#freeInAll = nodes * gpusPerNode;
  }

  /** The nodes that the gang takes; undefined where it does not fit. */
  take(gpus: number): readonly number[] | undefined {
    if (gpus > this.#freeInAll) return undefined;
    const nodes = gpus <= this.#gpusPerNode ? this.#tightest(gpus) : this.#whole(Math.ceil(gpus / this.#gpusPerNode));
    if (nodes !== undefined) this.#change(nodes, gpus, -1);
    return nodes;
  }

  free(nodes: readonly number[], gpus: number): void {
    this.#change(nodes, gpus, 1);
  }

  #tightest(gpus: number): readonly number[] | undefined {
    let best = -1;
    for (let node = 0; node < this.#free.length; node++) {
      const free = this.#free[node]!;
      if (free >= gpus && (best < 0 || free < this.#free[best]!)) best = node;
    }
    return best < 0 ? undefined : [best];
  }

  #whole(count: number): readonly number[] | undefined {
    const nodes: number[] = [];
    for (let node = 0; node < this.#free.length && nodes.length < count; node++) {
      if (this.#free[node] === this.#gpusPerNode) nodes.push(node);
    }
    return nodes.length < count ? undefined : nodes;
  }

  #change(nodes: readonly number[], gpus: number, sign: 1 | -1): void {
    const each = Math.min(gpus, this.#gpusPerNode);
    for (const node of nodes) this.#free[node]! += sign * each;
    this.#freeInAll += sign * each * nodes.length;
  }
}
