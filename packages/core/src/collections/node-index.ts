/**
 * Nodes with their free cores and memory. Finds the lowest node number with at least a given amount of both without
 * scanning: a segment tree in which each place holds the maxima of the nodes below it.
 */
export class NodeIndex {
  /** The number of leaves, a power of two. Node `n` is at place `#leaves + n`, and the parent of place `p` at `p / 2`. */
  #leaves = 32;
  #cpusMilli = new Int32Array(64).fill(absent);
  #memoryMiB = new Int32Array(64).fill(absent);
  size = 0;

  /** Adds a node, or changes its amounts. */
  set(node: number, cpusMilli: number, memoryMiB: number): void {
    while (node >= this.#leaves) this.#grow();
    const place = this.#leaves + node;
    if (this.#cpusMilli[place] === absent) this.size++;
    this.#put(place, Math.max(0, cpusMilli), Math.max(0, memoryMiB));
  }

  delete(node: number): void {
    const place = this.#leaves + node;
    if (node >= this.#leaves || this.#cpusMilli[place] === absent) return;
    this.size--;
    this.#put(place, absent, absent);
  }

  /** The lowest node from `from` on with at least these amounts; -1 if there is none. */
  next(from: number, cpusMilli = 0, memoryMiB = 0): number {
    if (from >= this.#leaves) return -1;
    let place = from === 0 ? 1 : this.#leaves + from; // the root shows at once if no node has enough
    for (;;) {
      if (this.#cpusMilli[place]! >= cpusMilli && this.#memoryMiB[place]! >= memoryMiB) {
        if (place >= this.#leaves) return place - this.#leaves;
        place *= 2;
        continue;
      }
      // Continue with the next subtree to the right.
      while (place % 2 === 1) {
        if (place === 1) return -1;
        place = (place - 1) / 2;
      }
      place++;
    }
  }

  #put(leaf: number, cpusMilli: number, memoryMiB: number): void {
    const cpus = this.#cpusMilli;
    const memory = this.#memoryMiB;
    cpus[leaf] = cpusMilli;
    memory[leaf] = memoryMiB;
    for (let place = leaf >> 1; place > 0; place >>= 1) {
      const mostCpus = Math.max(cpus[2 * place]!, cpus[2 * place + 1]!);
      const mostMemory = Math.max(memory[2 * place]!, memory[2 * place + 1]!);
      if (cpus[place] === mostCpus && memory[place] === mostMemory) return;
      cpus[place] = mostCpus;
      memory[place] = mostMemory;
    }
  }

  #grow(): void {
    const [cpus, memory, leaves] = [this.#cpusMilli, this.#memoryMiB, this.#leaves];
    this.#leaves *= 2;
    this.#cpusMilli = new Int32Array(2 * this.#leaves).fill(absent);
    this.#memoryMiB = new Int32Array(2 * this.#leaves).fill(absent);
    for (let node = 0; node < leaves; node++) {
      if (cpus[leaves + node] !== absent) this.#put(this.#leaves + node, cpus[leaves + node]!, memory[leaves + node]!);
    }
  }
}

const absent = -1;
