import type { SearchHit } from "@tessera/wire";

/** A hit with its place: how well it matches, live before past, newer before older. */
export interface Ranked extends SearchHit {
  readonly rank: number;
  readonly at: number;
}

/** A kind never fills the list alone. */
const perKindMax = 20;
/** The worst of a kind are let go when this many more have been gathered. */
const gatheredMax = 10 * perKindMax;
const kinds: readonly SearchHit["kind"][] = ["account", "job", "node", "user", "engine", "pool", "invoice"];

/** The best hits of each kind, however many there are; one that is found twice counts once, where it fits best. */
export class Best {
  readonly #byKind = new Map<string, Ranked[]>();

  add(hit: Ranked): void {
    const known = this.#byKind.get(hit.kind) ?? [];
    known.push(hit);
    this.#byKind.set(hit.kind, known.length > gatheredMax ? bestOf(known) : known);
  }

  /** The best of all kinds. */
  first(limit: number): SearchHit[] {
    const all = [...this.#byKind.values()].flatMap(bestOf).sort(byPlace);
    return all.slice(0, limit).map(({ rank: _, at: __, ...hit }) => hit);
  }
}

function bestOf(hits: readonly Ranked[]): Ranked[] {
  const seen = new Set<string>();
  const sorted = [...hits].sort(byPlace);
  return sorted.filter(({ id }) => !seen.has(id) && seen.add(id)).slice(0, perKindMax);
}

function byPlace(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.at - a.at || (a.name < b.name ? -1 : 1);
}
