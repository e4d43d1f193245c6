import type { Usage } from "../meter/usage.ts";
import { innerMap } from "./inner-map.ts";

type Traits = Pick<Usage, "model" | "profile" | "isolation" | "topology" | "state">;

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
  #last: Omit<Traits, "state"> = { model: "", profile: "", isolation: "whole", topology: "" };
  #byState: Level<Sku> | undefined;

  of(traits: Traits): Sku {
    const { state } = traits;
    if (this.#byState === undefined || !isAlike(traits, this.#last)) {
      const { model, profile, isolation, topology } = traits;
      this.#byState = innerMap(innerMap(innerMap(innerMap(this.#byModel, model), profile), isolation), topology);
      this.#last = { model, profile, isolation, topology };
    }
    return this.#byState.get(state) ?? this.#add(this.#byState, traits);
  }

  #add(byState: Level<Sku>, { model, profile, isolation, topology, state }: Traits): Sku {
    const key = `${model}|${profile}|${isolation}|${topology}|${state}`;
    const sku = { no: this.#count++, key, model, profile, isolation, topology, state };
    byState.set(state, sku);
    return sku;
  }
}

function isAlike(a: Omit<Traits, "state">, b: Omit<Traits, "state">): boolean {
  return a.model === b.model && a.profile === b.profile && a.isolation === b.isolation && a.topology === b.topology;
}
