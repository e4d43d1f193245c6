import type { Usage } from "../meter/usage.ts";
import { innerOf } from "./nested.ts";

type Way = Pick<Usage, "model" | "profile" | "isolation" | "topology" | "state">;

/** A way to hold a kind of GPU, the same for all accounts. */
interface Kind {
  readonly no: number;
  readonly key: string;
}

/** Numbers the ways to hold a GPU, so that a key is spelled once for each and not for every stretch. */
export class Kinds {
  #count = 0;
  readonly #byModel: Level<Level<Level<Level<Level<Kind>>>>> = new Map();

  of({ model, profile, isolation, topology, state }: Way): Kind {
    const byTopology = innerOf(innerOf(innerOf(this.#byModel, model), profile), isolation);
    const kinds = innerOf(byTopology, topology);
    const known = kinds.get(state);
    if (known !== undefined) return known;
    const kind = { no: this.#count++, key: `${model}|${profile}|${isolation}|${topology}|${state}` };
    kinds.set(state, kind);
    return kind;
  }
}

type Level<Below> = Map<string, Below>;
