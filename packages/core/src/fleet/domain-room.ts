import type { FleetNode } from "../model/node.ts";
import type { Domain, Topology } from "./topology.ts";

/** How many members of a gang each node can take; what the search for places works on. */
export type Fits = (node: FleetNode) => number;

/** What of the fleet rooms are counted on. */
interface RoomSource {
  readonly nodes: readonly (FleetNode | undefined)[];
  readonly topology: Topology;
  readonly composition: number;
  readonly changes: { readonly count: number; readonly recent: ArrayLike<number> };
}

/** How many members each place has room for, and what was worked out from that. */
export class DomainRoom {
  readonly #fleet: RoomSource;
  readonly #fits: Fits;
  /** By node. */
  #fit: Int32Array = new Int32Array(0);
  /** By place. */
  #room: Float64Array = new Float64Array(0);
  /** By place and number of members; forgotten when anything inside the place changes. */
  #needed: (Map<number, readonly number[]> | undefined)[] = [];
  /** Up to which change, and for which composition, the fleet has been counted. */
  #changes = 0;
  #composition = -1;

  constructor(fleet: RoomSource, fits: Fits) {
    this.#fleet = fleet;
    this.#fits = fits;
    this.catchUp();
  }

  of(domain: Domain): number {
    return this.#room[domain.no]!;
  }

  /** On all nodes together. */
  get inAll(): number {
    let room = 0;
    for (const root of this.#fleet.topology.roots) room += this.of(root);
    return room;
  }

  /** What was kept about so many members in a place, if nothing has changed there since. */
  needed(domain: Domain, members: number): readonly number[] | undefined {
    return this.#needed[domain.no]?.get(members);
  }

  keep(domain: Domain, members: number, needed: readonly number[]): readonly number[] {
    const known = this.#needed[domain.no];
    if (known === undefined) this.#needed[domain.no] = new Map([[members, needed]]);
    else known.set(members, needed);
    return needed;
  }

  /** Counts those nodes anew that have changed since the last time. */
  catchUp(): void {
    const { changes, composition } = this.#fleet;
    if (composition !== this.#composition || changes.count - this.#changes > changes.recent.length) this.#countAll();
    for (; this.#changes < changes.count; this.#changes++) {
      this.#count(changes.recent[this.#changes % changes.recent.length]!);
    }
  }

  #countAll(): void {
    const { topology, nodes, changes, composition } = this.#fleet;
    this.#fit = new Int32Array(nodes.length);
    this.#room = new Float64Array(topology.count);
    this.#needed = [];
    this.#changes = changes.count;
    this.#composition = composition;
    for (const node of nodes) if (node !== undefined) this.#count(node.no);
  }

  #count(no: number): void {
    const node = this.#fleet.nodes[no];
    const fit = node === undefined ? 0 : this.#fits(node);
    const more = fit - this.#fit[no]!;
    if (more === 0) return;
    this.#fit[no] = fit;
    for (let at = this.#fleet.topology.nodeDomain[no]; at !== undefined; at = at.above) {
      this.#room[at.no]! += more;
      this.#needed[at.no] = undefined;
    }
  }
}
