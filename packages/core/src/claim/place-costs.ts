import type { NodeNo } from "../model/ids.ts";
import type { Members } from "../model/job.ts";
import type { Cost } from "./cost.ts";

/** Tells what room for one member costs at least on each of some nodes. */
interface CostSource {
  among(nodes: Iterable<NodeNo>): readonly Cost[];
}

/**
 * What room for all members costs at least in each place of a level if burst work leaves: worked out once for all who
 * need the same, and anew where a node has changed.
 */
export class PlaceCosts {
  readonly #costs: CostSource;
  readonly #places: readonly ReadonlyMap<NodeNo, number>[];
  readonly #placeOf = new Map<NodeNo, number>();
  readonly #members: Members;
  readonly #lost: (number | undefined)[] = [];

  constructor(costs: CostSource, places: readonly ReadonlyMap<NodeNo, number>[], members: Members) {
    this.#costs = costs;
    this.#places = places;
    this.#members = members;
    for (const [at, nodes] of places.entries()) for (const node of nodes.keys()) this.#placeOf.set(node, at);
  }

  /** Work lost in a place; infinite where burst work makes no room for all. */
  lostIn(at: number): number {
    let lost = this.#lost[at];
    if (lost === undefined) {
      lost = leastLost(this.#members, 0, this.#costs.among(this.#places[at]!.keys()));
      this.#lost[at] = lost;
    }
    return lost;
  }

  forget(node: NodeNo): void {
    const at = this.#placeOf.get(node);
    if (at !== undefined) this.#lost[at] = undefined;
  }
}

/** What all members lose at least on nodes of which some may cost nothing; infinite where there are not enough. */
export function leastLost({ min, apart }: Members, free: number, others: readonly Cost[]): number {
  if (!apart) return free + others.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  if (free + others.length < min) return Number.POSITIVE_INFINITY;
  const parts = others.map((cost) => cost.part).sort((a, b) => a - b);
  let lost = 0;
  for (let i = 0; i < min - free; i++) lost += parts[i]!;
  return lost;
}
