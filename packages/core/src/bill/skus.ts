import type { Usage } from "../meter/usage.ts";
import { innerMap } from "./inner-map.ts";

type Traits = Pick<Usage, "model" | "profile" | "isolation" | "topology" | "state" | "pool" | "poolPerMille">;
type Shared = Pick<Traits, "model" | "profile" | "isolation" | "topology">;

/** Everything about held GPU time that can change its price, numbered. SKUs are shared by all accounts. */
export interface Sku extends Traits {
  readonly no: number;
  readonly key: string;
}

type Level<Below> = Map<string, Below>;

/** Numbers the SKUs. Lookups walk nested maps, so that a key is built once for each SKU and not for each usage. */
export class Skus {
  #count = 0;
  readonly #byModel: Level<Level<Level<Level<Level<Sku>>>>> = new Map();
  /** The last lookup: the usages of one lease come one after the other and differ only in their state. */
  #last: Shared = { model: "", profile: "", isolation: "whole", topology: "" };
  #byState: Level<Sku> | undefined;

  of(traits: Traits): Sku {
    const { state, pool } = traits;
    if (this.#byState === undefined || !isAlike(traits, this.#last)) {
      const { model, profile, isolation, topology } = traits;
      this.#byState = innerMap(innerMap(innerMap(innerMap(this.#byModel, model), profile), isolation), topology);
      this.#last = { model, profile, isolation, topology };
    }
    // Few nodes are in a pool, so that a pool is no level of its own.
    const key = pool === undefined ? state : `${state}|${pool}|${traits.poolPerMille}`;
    return this.#byState.get(key) ?? this.#add(this.#byState, key, traits);
  }

  #add(byState: Level<Sku>, within: string, traits: Traits): Sku {
    const { model, profile, isolation, topology, state, pool, poolPerMille } = traits;
    const key = `${model}|${profile}|${isolation}|${topology}|${within}`;
    const sku = { no: this.#count++, key, model, profile, isolation, topology, state, pool, poolPerMille };
    byState.set(within, sku);
    return sku;
  }
}

function isAlike(a: Shared, b: Shared): boolean {
  return a.model === b.model && a.profile === b.profile && a.isolation === b.isolation && a.topology === b.topology;
}
