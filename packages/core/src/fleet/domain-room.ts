import type { FleetNode } from "../model/node.ts";
import type { Domain, Topology } from "./topology.ts";

/** How many members of a gang a node can take. */
export type Fits = (node: FleetNode) => number;

/** The part of the fleet that rooms are counted from. */
interface RoomSource {
  readonly nodes: readonly (FleetNode | undefined)[];
  readonly topology: Topology;
  readonly composition: number;
  readonly changes: { readonly count: number; readonly recent: ArrayLike<number> };
}

/** How many members with one need each domain has room for, and results derived from that. */
export class DomainRoom {
  readonly #fleet: RoomSource;
  readonly #fits: Fits;
  /** Members that fit, by node. */
  #fit: Int32Array = new Int32Array(0);
  /** Members that fit, by domain. */
  #room: Float64Array = new Float64Array(0);
  /** Domains needed at each level below, by domain and number of members; dropped when a node in the domain changes. */
  #needed: (Map<number, readonly number[]> | undefined)[] = [];
  /** The last change of the fleet that is counted, and the composition of the fleet. */
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

  /** The room on all nodes together. */
  get inAll(): number {
    let room = 0;
    for (const root of this.#fleet.topology.roots) room += this.of(root);
    return room;
  }

  /** The domains needed for this many members, if that was kept and nothing changed there since. */
  needed(domain: Domain, members: number): readonly number[] | undefined {
    return this.#needed[domain.no]?.get(members);
  }

  keep(domain: Domain, members: number, needed: readonly number[]): readonly number[] {
    const known = this.#needed[domain.no];
    if (known === undefined) this.#needed[domain.no] = new Map([[members, needed]]);
    else known.set(members, needed);
    return needed;
  }

  /** Counts the nodes again that have changed since the last call. */
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

/** Needs whose room is kept; for others the whole fleet is counted again. */
const needsMax = 32;

/** Saves counting the whole fleet for each gang: the room of recent needs, updated by the nodes that changed. */
export class DomainRooms {
  readonly #fleet: RoomSource;
  /** By need, the one used last at the end. */
  readonly #byNeed = new Map<string, DomainRoom>();

  constructor(fleet: RoomSource) {
    this.#fleet = fleet;
  }

  for(need: string, fits: Fits): DomainRoom {
    const known = this.#byNeed.get(need);
    known?.catchUp();
    const room = known ?? new DomainRoom(this.#fleet, fits);
    this.#byNeed.delete(need);
    this.#byNeed.set(need, room);
    if (this.#byNeed.size > needsMax) this.#byNeed.delete(this.#byNeed.keys().next().value!);
    return room;
  }
}
