import type { Seat, SeatPool } from "../journal/event.ts";
import type { NodeNo } from "../model/ids.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** The pools of seats and their price now, which is the price of the leases that begin on them; undefined without any. */
export function poolsOf({ pools, nodePools }: ReadonlyState, seats: readonly Seat[]): readonly SeatPool[] | undefined {
  if (pools.size === 0) return undefined;
  const found = new Map<NodeNo, SeatPool>();
  for (const { node } of seats) {
    const pool = nodePools.of(node);
    if (pool !== undefined) found.set(node, { node, perMille: pool.terms.perMille, pool: pool.name });
  }
  return found.size === 0 ? undefined : [...found.values()];
}
