import { Site } from "../claim/seats/site.ts";
import { gpusThatFit, keyOf, type MemberNeed, membersThatFit, type View } from "../fleet/fit.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";

/** What is free for one need: GPUs in all, members that find a seat, and the most GPUs on one node. */
export interface Room {
  readonly gpus: number;
  readonly members: number;
  readonly largest: number;
}

/** Members that fit on the nodes that are up, once all that is stopping has left. */
export interface RoomOnceLeft {
  /** By the number of the node. */
  readonly on: Uint32Array;
  readonly members: number;
}

/**
 * Rooms of a fleet, each counted once: counting walks through all nodes, and most waiting jobs ask for the same as
 * others. It holds only while the fleet stays as it is: make one, explain all jobs at once, drop it.
 */
export class Rooms {
  readonly #fleet: ReadonlyFleet;
  readonly #now = new Map<string, Room>();
  readonly #onceLeft = new Map<string, RoomOnceLeft>();

  constructor(fleet: ReadonlyFleet) {
    this.#fleet = fleet;
  }

  /** At most `most` members on a node. */
  of(need: MemberNeed, most: number, view: View): Room {
    const key = `${view} ${keyOf(need, most)}`;
    const known = this.#now.get(key);
    if (known !== undefined) return known;
    const found = { gpus: 0, members: 0, largest: 0 };
    for (const node of this.#fleet.nodes) {
      if (node === undefined || need.among?.has(node) === false) continue;
      const free = need.gpus === 0 ? 0 : gpusThatFit(this.#fleet, node, need, false);
      found.gpus += free;
      found.largest = Math.max(found.largest, free);
      found.members += membersThatFit(this.#fleet, node, need, view, most);
    }
    this.#now.set(key, found);
    return found;
  }

  /** At most `most` members on a node; for whole GPUs or none. */
  onceLeft(need: MemberNeed, most: number): RoomOnceLeft {
    const key = keyOf(need, most);
    const known = this.#onceLeft.get(key);
    if (known !== undefined) return known;
    const on = new Uint32Array(this.#fleet.nodes.length);
    let members = 0;
    for (const [no, node] of this.#fleet.nodes.entries()) {
      if (node?.mode !== "up") continue;
      on[no] = Math.min(most, new Site(this.#fleet, node, need).fits([]));
      members += on[no]!;
    }
    const found = { on, members };
    this.#onceLeft.set(key, found);
    return found;
  }
}
