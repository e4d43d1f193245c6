import type { AccountNo, NodeNo } from "../../model/ids.ts";
import { hasLabels } from "../../model/labels.ts";
import type { FleetNode } from "../../model/node.ts";
import type { Pool } from "../../model/pool.ts";

/** To which pool each node belongs, and which pools are closed to an account. */
export class NodePools {
  /** In the order of their names: a node belongs to the first that it matches. */
  #pools: readonly Pool[] = [];
  readonly #of: (Pool | undefined)[] = [];
  readonly #closed = new Map<AccountNo, ReadonlySet<Pool>>();
  #limited: readonly Pool[] = [];
  #dear: readonly Pool[] = [];

  of(node: NodeNo): Pool | undefined {
    return this.#of[node];
  }

  /** Pools that not every account may use. */
  get limited(): readonly Pool[] {
    return this.#limited;
  }

  /** Pools that cost more than the price list says. */
  get dear(): readonly Pool[] {
    return this.#dear;
  }

  /** The pools whose nodes take no job of an account. */
  closedTo({ no, path }: { readonly no: AccountNo; readonly path: string }): ReadonlySet<Pool> {
    let closed = this.#closed.get(no);
    if (closed === undefined) {
      closed = new Set(this.#limited.filter(({ terms }) => !isOpenTo(terms.tenants!, path)));
      this.#closed.set(no, closed);
    }
    return closed;
  }

  /** Pools came, went or changed. Returns the nodes that belong elsewhere now, or to a pool with other terms. */
  change(pools: Iterable<Pool>, nodes: readonly (FleetNode | undefined)[]): NodeNo[] {
    this.#pools = [...pools].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#limited = this.#pools.filter(({ terms }) => terms.tenants !== undefined);
    this.#dear = this.#pools.filter(({ terms }) => terms.perMille > 1000);
    this.#closed.clear();
    const moved: NodeNo[] = [];
    for (const node of nodes) if (node !== undefined && this.note(node)) moved.push(node.no);
    return moved;
  }

  /** A node came or has other labels; true if it belongs to another pool than before. */
  note({ no, facts }: FleetNode): boolean {
    if (this.#pools.length === 0 && this.#of.length === 0) return false;
    const before = this.#of[no];
    const pool = this.#pools.find(({ terms }) => hasLabels(facts, terms.labels));
    this.#of[no] = pool;
    return pool !== before;
  }
}

/** Whether an account is one of these, or below one. */
function isOpenTo(tenants: readonly string[], path: string): boolean {
  return tenants.some((tenant) => path === tenant || path.startsWith(`${tenant}/`));
}
