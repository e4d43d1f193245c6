import type { NodeNo } from "../model/ids.ts";
import { must } from "../model/must.ts";
import type { NodeFacts } from "../model/node.ts";

/** Levels of the topology, widest first. Each node is a domain of its own. */
export const levels = ["region", "zone", "block", "rack", "nvlink", "node"] as const;
export type Level = (typeof levels)[number];
const narrowest = levels.indexOf("node");

/** One region, zone, block, rack, NVLink group or node. */
export interface Domain {
  readonly no: number;
  readonly name: string;
  /** Unique in the tree. */
  readonly key: string;
  readonly level: number;
  readonly above: Domain | undefined;
  readonly children: Domain[];
  /** Its nodes; only at the narrowest level, where it has at most one. */
  readonly nodes: number[];
}

/** The tree of domains. Names are unique inside the domain above, so `r1` of one block is not `r1` of another. */
export class Topology {
  readonly roots: Domain[] = [];
  readonly #byKey = new Map<string, Domain>();
  /** The narrowest domain of each node, by node number. */
  readonly nodeDomain: (Domain | undefined)[] = [];
  readonly #nodesAt = new Map<Level, readonly ReadonlyMap<NodeNo, number>[]>();
  count = 0;

  add(node: number, { name, engine, place }: NodeFacts): void {
    let key = "";
    let siblings = this.roots;
    let domain: Domain | undefined;
    // Nodes whose engine names no region are in one region without a name.
    for (const [level, part] of [
      place.region ?? "",
      place.zone,
      place.block,
      place.rack,
      place.nvlink,
      name,
    ].entries()) {
      key += level === narrowest ? `/${engine}/${part}` : `/${part}`;
      const above: Domain | undefined = domain;
      domain = this.#byKey.get(key);
      if (domain === undefined) {
        domain = { no: this.count++, name: part, key, level, above, children: [], nodes: [] };
        this.#byKey.set(key, domain);
        insertByName(siblings, domain);
      }
      siblings = domain.children;
    }
    domain!.nodes.push(node);
    this.#nodesAt.clear();
    this.nodeDomain[node] = domain;
  }

  /** The domain of a level that contains a node. */
  domainOf(node: NodeNo, level: Level): Domain | undefined {
    let at = this.nodeDomain[node];
    while (at !== undefined && levels[at.level] !== level) at = at.above;
    return at;
  }

  /** The nodes of each domain of a level, each with its rank by name. */
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

  remove(node: number, { name, engine, place }: NodeFacts): void {
    const key = `/${place.region ?? ""}/${place.zone}/${place.block}/${place.rack}/${place.nvlink}/${engine}/${name}`;
    const domain = must(this.#byKey.get(key), `node ${name} is in no domain`);
    const at = domain.nodes.indexOf(node);
    if (at < 0) throw new Error(`Bug: node ${name} is not in its domain ${key}`);
    domain.nodes.splice(at, 1);
    this.nodeDomain[node] = undefined;
    this.#nodesAt.clear();
  }
}

/** Siblings stay sorted by name, so that of equal domains the first by name is found first. */
function insertByName(siblings: Domain[], domain: Domain): void {
  let at = siblings.length;
  while (at > 0 && isBefore(domain, siblings[at - 1]!)) at--;
  siblings.splice(at, 0, domain);
}

/** Names that end in a number are compared by number: n2 before n10. */
function isBefore({ name: a, key: keyA }: Domain, { name: b, key: keyB }: Domain): boolean {
  if (a === b) return keyA < keyB;
  const [headA, numberA] = split(a);
  const [headB, numberB] = split(b);
  if (headA !== headB || numberA === numberB) return a < b;
  return numberA < numberB;
}

function split(name: string): [string, number] {
  const digits = /\d{1,15}$/.exec(name);
  return digits === null ? [name, -1] : [name.slice(0, digits.index), Number(digits[0])];
}
