import type { NodeNo } from "../../model/ids.ts";
import type { Members } from "../../model/job.ts";
import type { LeastCost } from "./least-cost.ts";

/** Gives the least that room for one member costs on each of some nodes. */
interface CostSource {
  among(nodes: Iterable<NodeNo>): readonly LeastCost[];
}

/**
 * The least that room for all members costs in each domain of a level if burst work leaves. Worked out once for all
 * claimants with the same need, and again where a node has changed.
 */
export class AreaCosts {
  readonly #costs: CostSource;
  readonly #areas: readonly ReadonlyMap<NodeNo, number>[];
  readonly #areaOf = new Map<NodeNo, number>();
  readonly #members: Members;
  readonly #lost: (number | undefined)[] = [];

  constructor(costs: CostSource, areas: readonly ReadonlyMap<NodeNo, number>[], members: Members) {
    this.#costs = costs;
    this.#areas = areas;
    this.#members = members;
    for (const [at, nodes] of areas.entries()) for (const node of nodes.keys()) this.#areaOf.set(node, at);
  }

  /** Work lost in an area; infinite where burst work makes no room for all members. */
  lostIn(at: number): number {
    let lost = this.#lost[at];
    if (lost === undefined) {
      lost = leastLost(this.#members, 0, this.#costs.among(this.#areas[at]!.keys()));
      this.#lost[at] = lost;
    }
    return lost;
  }

  forget(node: NodeNo): void {
    const at = this.#areaOf.get(node);
    if (at !== undefined) this.#lost[at] = undefined;
  }
}

/** The least work lost for all members where `free` nodes may cost nothing; infinite where there are too few nodes. */
export function leastLost({ min, apart }: Members, free: number, others: readonly LeastCost[]): number {
  if (!apart) return free + others.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  if (free + others.length < min) return Number.POSITIVE_INFINITY;
  const parts = others.map((cost) => cost.part).sort((a, b) => a - b);
  let lost = 0;
  for (let i = 0; i < min - free; i++) lost += parts[i]!;
  return lost;
}
