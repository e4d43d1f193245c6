import type { NodeNo } from "../../model/ids.ts";
import type { FleetNode, NodeOffers } from "../../model/node.ts";
import { type OfferAsk, offersAll } from "../../model/offers.ts";

/** What some nodes of an engine offer. */
export interface OfferKind {
  readonly engine: string;
  /** Absent = everything. */
  readonly offers: NodeOffers | undefined;
  nodes: number;
}

/** What the nodes of the fleet offer. There are few kinds: most jobs fit all of them, and then no node is asked. */
export class OfferKinds {
  readonly #kinds = new Map<string, OfferKind>();
  readonly #ofNode = new Map<NodeNo, string>();
  /** How many kinds say what they offer. */
  #told = 0;

  get all(): Iterable<OfferKind> {
    return this.#kinds.values();
  }

  /** Whether every node can run a job, amounts aside. */
  allOffer(spec: OfferAsk): boolean {
    if (this.#told === 0) return true;
    for (const { offers } of this.#kinds.values()) if (!offersAll(offers, spec)) return false;
    return true;
  }

  /** A node came, or its engine says something else of it. */
  note({ no, facts: { engine, offers } }: FleetNode): void {
    const key = `${engine} ${offers === undefined ? "" : JSON.stringify(offers)}`;
    if (this.#ofNode.get(no) === key) return;
    this.forget(no);
    this.#ofNode.set(no, key);
    const kind = this.#kinds.get(key);
    if (kind !== undefined) kind.nodes++;
    else {
      this.#kinds.set(key, { engine, offers, nodes: 1 });
      if (offers !== undefined) this.#told++;
    }
  }

  forget(no: NodeNo): void {
    const key = this.#ofNode.get(no);
    const kind = key === undefined ? undefined : this.#kinds.get(key);
    if (key === undefined || kind === undefined) return;
    this.#ofNode.delete(no);
    if (--kind.nodes > 0) return;
    this.#kinds.delete(key);
    if (kind.offers !== undefined) this.#told--;
  }
}
