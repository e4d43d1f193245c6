import type { PoolChanged } from "../../journal/event.ts";
import type { State } from "../state.ts";

/** The part of `apply` that keeps the pools. */
export function applyToPools(state: State, { pool: name, terms, at }: PoolChanged): void {
  const before = state.pools.get(name);
  if (terms === undefined) {
    if (before === undefined) throw new Error(`pool ${name} is deleted and does not exist`);
    state.pools.delete(name);
  } else {
    const { createdAt = at, revision = 0 } = before ?? {};
    state.pools.set(name, { name, terms, createdAt, changedAt: at, revision: revision + 1 });
  }
  matchPools(state);
  state.waiting.listener.standingsChanged();
  state.waiting.roomChanged();
}

/** Says of each node again to which pool it belongs, and invalidates what was derived from that. */
export function matchPools(state: State): void {
  const moved = state.nodePools.change(state.pools.values(), state.fleet.nodes);
  for (const node of moved) state.fleet.share(node, state.nodePools.of(node)?.terms);
  state.fleet.touch(moved.map((node) => ({ node })));
  if (moved.length > 0) state.fleet.composition++;
}
