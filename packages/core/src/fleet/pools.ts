import type { PoolMode } from "../model/part.ts";

/** How many GPUs of each model are in pools of each mode. */
export class Pools {
  readonly #byModel: Map<PoolMode, number>[] = [];

  /** The modes of the pools that have GPUs of a model. */
  of(model: number): Iterable<PoolMode> {
    return this.#byModel[model]?.keys() ?? [];
  }

  has(model: number): boolean {
    return (this.#byModel[model]?.size ?? 0) > 0;
  }

  /** Counts a GPU in (`sign` 1) or out (-1); true if the model's first GPU in such a pool came, or its last one left. */
  count(model: number, pool: PoolMode, sign: 1 | -1): boolean {
    this.#byModel[model] ??= new Map();
    const pools = this.#byModel[model];
    const before = pools.get(pool) ?? 0;
    if (before + sign < 0) throw new Error(`Bug: a GPU of model ${model} leaves a ${pool} pool that has none`);
    if (before + sign === 0) pools.delete(pool);
    else pools.set(pool, before + sign);
    return before === 0 || before + sign === 0;
  }
}
