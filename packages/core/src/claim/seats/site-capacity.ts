import type { NodeNo } from "../../model/ids.ts";
import type { Members } from "../../model/job.ts";
import type { Draft, DraftWatcher } from "../draft/draft.ts";
import type { Victim } from "../draft/victim.ts";
import type { Site } from "./site.ts";

/** How many members fit each of a plan's sites, kept up to date as the draft evicts and spares. */
export class SiteCapacity implements DraftWatcher {
  readonly #sites: readonly Site[];
  readonly #draft: Draft;
  readonly #members: Members;
  readonly #siteOf = new Map<NodeNo, number>();
  readonly #fits: number[];
  #total = 0;

  constructor(sites: readonly Site[], draft: Draft) {
    this.#sites = sites;
    this.#draft = draft;
    this.#members = draft.claimant.job.spec.members;
    this.#fits = sites.map(() => 0);
    for (const [at, { node }] of sites.entries()) {
      this.#siteOf.set(node.no, at);
      this.#count(at);
    }
    draft.watch(this);
  }

  get holdsAll(): boolean {
    return this.#total >= this.#members.min;
  }

  changed({ leases }: Victim): void {
    for (const { node } of leases) {
      const at = this.#siteOf.get(node);
      if (at !== undefined) this.#count(at);
    }
  }

  #count(at: number): void {
    const { min, apart } = this.#members;
    const site = this.#sites[at]!;
    const fits = Math.min(apart ? 1 : min, site.fits(this.#draft.on(site.node.no)));
    this.#total += fits - this.#fits[at]!;
    this.#fits[at] = fits;
  }

  /** Spreads the members over the sites, those with the most room first. */
  seatMembers(): void {
    let left = this.#members.min;
    for (const [at, fits] of [...this.#fits.entries()].sort(([i, a], [j, b]) => b - a || i - j)) {
      this.#sites[at]!.members = Math.min(left, fits);
      left -= this.#sites[at]!.members;
    }
  }
}
