import type { Sharing } from "../model/part.ts";

/** How many GPUs of each model are shared in each way. */
export class Pools {
  readonly #byModel: Map<Sharing, number>[] = [];
  /** By model: the most that one of its GPUs is given out at once. Kept, because seats are counted by it in inner loops. */
  readonly #ratioMax: number[] = [];

  /** The ways in which GPUs of a model are shared. */
  of(model: number): Iterable<Sharing> {
    return this.#byModel[model]?.keys() ?? [];
  }

  has(model: number): boolean {
    return (this.#byModel[model]?.size ?? 0) > 0;
  }

  ratioMax(model: number): number {
    return this.#ratioMax[model] ?? 1;
  }

  /** Counts a GPU in (`sign` 1) or out (-1); true if the model's first GPU that is shared so came, or its last one left. */
  count(model: number, sharing: Sharing, sign: 1 | -1): boolean {
    this.#byModel[model] ??= new Map();
    const ways = this.#byModel[model];
    const before = ways.get(sharing) ?? 0;
    if (before + sign < 0) throw new Error(`Bug: a GPU of model ${model} is not shared by ${sharing.key}, yet leaves`);
    if (before + sign === 0) ways.delete(sharing);
    else ways.set(sharing, before + sign);
    if (before !== 0 && before + sign !== 0) return false;
    this.#ratioMax[model] = Math.max(1, ...[...ways.keys()].map(({ ratio }) => ratio));
    return true;
  }
}
