import type { Usage } from "../meter/usage.ts";
import { innerOf } from "./nested.ts";

type Way = Pick<Usage, "model" | "profile" | "isolation" | "topology" | "state">;

/** A way to hold a kind of GPU, the same for all accounts. */
export interface Kind extends Way {
  readonly no: number;
  readonly key: string;
}

type Level<Below> = Map<string, Below>;

/** Numbers the ways to hold a GPU, so that a key is spelled once for each and not for every stretch. */
export class Kinds {
  #count = 0;
  readonly #byModel: Level<Level<Level<Level<Level<Kind>>>>> = new Map();
  /** The last that was asked for, and what is known of it by state: a lease comes with one stretch after another. */
  #last: Omit<Way, "state"> = { model: "", profile: "", isolation: "whole", topology: "" };
  #byState: Level<Kind> | undefined;

  of(way: Way): Kind {
    const { state } = way;
    if (this.#byState === undefined || !isLike(way, this.#last)) {
      const { model, profile, isolation, topology } = way;
      this.#byState = innerOf(innerOf(innerOf(innerOf(this.#byModel, model), profile), isolation), topology);
      this.#last = { model, profile, isolation, topology };
    }
    return this.#byState.get(state) ?? this.#add(this.#byState, way);
  }

  #add(byState: Level<Kind>, { model, profile, isolation, topology, state }: Way): Kind {
    const key = `${model}|${profile}|${isolation}|${topology}|${state}`;
    const kind = { no: this.#count++, key, model, profile, isolation, topology, state };
    byState.set(state, kind);
    return kind;
  }
}

function isLike(a: Omit<Way, "state">, b: Omit<Way, "state">): boolean {
  return a.model === b.model && a.profile === b.profile && a.isolation === b.isolation && a.topology === b.topology;
}
