import type { Dice } from "../prove/dice.ts";
import type { Cluster } from "./cluster.ts";
import type { TaskKind } from "./read.ts";

/** What every policy is made from. */
export interface World {
  readonly cluster: Cluster;
  readonly kinds: readonly TaskKind[];
  /** For each kind, by model of the cluster, whether it may run there. */
  readonly allowed: readonly Uint8Array[];
  /** How many rows of the original file are of each kind: what a policy with knowledge of the mix is given. */
  readonly rows: readonly number[];
  readonly dice: Dice;
}

/** A place for one task; `device` matters for a share of a GPU alone. */
export interface Place {
  readonly node: number;
  readonly device: number;
}

export interface Policy {
  /** The place for a task that arrives now, or undefined where no node has room. */
  choose(kind: number, memoryMiB: number): Place | undefined;
  /** Told after each placement. */
  placed?(kind: number, node: number): void;
  /** Told after a task has left. */
  left?(kind: number, node: number): void;
}

/** How one policy values a node for a kind; asked only where the kind fits. */
export interface Scorer {
  score(kind: number, node: number): number;
  /** The device for a share of a GPU on the node that was chosen. */
  device(kind: number, node: number): number;
  placed?(kind: number, node: number): void;
  left?(kind: number, node: number): void;
}

/** The highest score wins, of equals the first node. Scores are kept until something changes on their node. */
export class ByScore implements Policy {
  readonly #world: World;
  readonly #scorer: Scorer;
  readonly #kept: ({ scores: Float64Array; versions: Int32Array } | undefined)[] = [];

  constructor(world: World, scorer: Scorer) {
    this.#world = world;
    this.#scorer = scorer;
  }

  choose(kind: number, memoryMiB: number): Place | undefined {
    const { cluster, kinds, allowed } = this.#world;
    const { scores, versions } = this.#keptFor(kind);
    const { version, memoryFree, nodes } = cluster;
    let best = Number.NEGATIVE_INFINITY;
    let bestNode = -1;
    for (let node = 0; node < nodes; node++) {
      if (versions[node] !== version[node]) {
        versions[node] = version[node]!;
        scores[node] = cluster.fits(node, kinds[kind]!, allowed[kind]!)
          ? this.#scorer.score(kind, node)
          : Number.NEGATIVE_INFINITY;
      }
      if (scores[node]! > best && memoryFree[node]! >= memoryMiB) {
        best = scores[node]!;
        bestNode = node;
      }
    }
    return bestNode < 0 ? undefined : { node: bestNode, device: this.#scorer.device(kind, bestNode) };
  }

  placed(kind: number, node: number): void {
    this.#scorer.placed?.(kind, node);
  }

  left(kind: number, node: number): void {
    this.#scorer.left?.(kind, node);
  }

  #keptFor(kind: number) {
    const { nodes } = this.#world.cluster;
    this.#kept[kind] ??= { scores: new Float64Array(nodes), versions: new Int32Array(nodes).fill(-1) };
    return this.#kept[kind];
  }
}
