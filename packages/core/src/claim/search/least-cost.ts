import type { NodeNo } from "../../model/ids.ts";

/** The least that room for one member on a node can cost. */
export interface LeastCost {
  readonly node: NodeNo;
  /** Work lost; infinite where burst work makes no room. */
  readonly lost: number;
  /** The same with the work of a gang in equal parts on its nodes, so that it can be added up over nodes. */
  readonly part: number;
  readonly victims: number;
  /** The least time per GPU that any job there would lose. */
  readonly leastMs: number;
}
