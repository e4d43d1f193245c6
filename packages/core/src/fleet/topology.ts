import type { NodeNo } from "../model/ids.ts";
import type { NodeLocation } from "../model/node.ts";

/** Widest first. A node is a domain of its own. */
export const levels = ["zone", "block", "rack", "nvlink", "node"] as const;
export type Level = (typeof levels)[number];

/** A place that holds nodes: a zone, a block of it, a rack of that, and so on. */
export interface Domain {
  readonly no: number;
  readonly name: string;
  readonly level: number;
  readonly above: Domain | undefined;
  readonly children: Domain[];
  /** Nodes directly in it; only at the narrowest level. */
  readonly nodes: number[];
}

/** The tree of places. Names are unique inside the place above, so `r1` of one block is not `r1` of another. */
export class Topology {
  readonly roots: Domain[] = [];
  readonly #byKey = new Map<string, Domain>();
  /** The narrowest place of each node, by its number. */
  readonly nodeDomain: (Domain | undefined)[] = [];
  readonly #nodesAt = new Map<Level, readonly ReadonlyMap<NodeNo, number>[]>();
  count = 0;

  add(node: number, name: string, place: NodeLocation): void {
    let key = "";
    let siblings = this.roots;
    let domain: Domain | undefined;
    for (const [level, part] of [place.zone, place.block, place.rack, place.nvlink, name].entries()) {
      key += `/${part}`;
      const above: Domain | undefined = domain;
      domain = this.#byKey.get(key);
      if (domain === undefined) {
        domain = { no: this.count++, name: part, level, above, children: [], nodes: [] };
        this.#byKey.set(key, domain);
        insertByName(siblings, domain);
      }
      siblings = domain.children;
    }
    domain!.nodes.push(node);
    this.#nodesAt.clear();
    this.nodeDomain[node] = domain;
  }

  /** The place of a level in which a node stands. */
  domainOf(node: NodeNo, level: Level): Domain | undefined {
    let at = this.nodeDomain[node];
    while (at !== undefined && levels[at.level] !== level) at = at.above;
    return at;
  }

  /** The nodes of each place of a level, each with its rank by name. */
  nodesAt(level: Level): readonly ReadonlyMap<NodeNo, number>[] {
    const known = this.#nodesAt.get(level);
    if (known !== undefined) return known;
    const found: Map<NodeNo, number>[] = [];
    const gather = (domain: Domain, into: Map<NodeNo, number>): void => {
      for (const no of domain.nodes) into.set(no as NodeNo, into.size);
      for (const child of domain.children) gather(child, into);
    };
    const walk = (domain: Domain): void => {
      if (levels[domain.level] !== level) {
        domain.children.forEach(walk);
        return;
      }
      const nodes = new Map<NodeNo, number>();
      gather(domain, nodes);
      found.push(nodes);
    };
    this.roots.forEach(walk);
    this.#nodesAt.set(level, found);
    return found;
  }

  remove(node: number, name: string, place: NodeLocation): void {
    const domain = this.#byKey.get(`/${place.zone}/${place.block}/${place.rack}/${place.nvlink}/${name}`)!;
    domain.nodes.splice(domain.nodes.indexOf(node), 1);
    this.nodeDomain[node] = undefined;
    this.#nodesAt.clear();
  }
}

/** Kept by name, so that of equal places the first by name is found first. */
function insertByName(siblings: Domain[], domain: Domain): void {
  let at = siblings.length;
  while (at > 0 && isBefore(domain.name, siblings[at - 1]!.name)) at--;
  siblings.splice(at, 0, domain);
}

/** Names with numbers in them go by number: n2 before n10. */
function isBefore(a: string, b: string): boolean {
  const [headA, numberA] = split(a);
  const [headB, numberB] = split(b);
  if (headA !== headB || numberA === numberB) return a < b;
  return numberA < numberB;
}

function split(name: string): [string, number] {
  const digits = /\d{1,15}$/.exec(name);
  return digits === null ? [name, -1] : [name.slice(0, digits.index), Number(digits[0])];
}
