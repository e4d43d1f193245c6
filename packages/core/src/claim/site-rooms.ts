import type { NodeNo } from "../model/ids.ts";
import type { Members } from "../model/job.ts";
import type { Site } from "./site.ts";
import type { Tally } from "./tally.ts";
import type { Victim } from "./victim.ts";

/** How many members fit each of a plan's sites, as long as it is told who is taken or put back. */
export class SiteRooms {
  readonly #sites: readonly Site[];
  readonly #tally: Tally;
  readonly #members: Members;
  readonly #placeOf = new Map<NodeNo, number>();
  readonly #fits: number[];
  #total = 0;

  constructor(sites: readonly Site[], tally: Tally, members: Members) {
    this.#sites = sites;
    this.#tally = tally;
    this.#members = members;
    this.#fits = sites.map(() => 0);
    for (const [at, { node }] of sites.entries()) {
      this.#placeOf.set(node.no, at);
      this.#count(at);
    }
  }

  get holdAll(): boolean {
    return this.#total >= this.#members.min;
  }

  /** Someone has been taken or put back. */
  changed({ leases }: Victim): void {
    for (const { node } of leases) {
      const at = this.#placeOf.get(node);
      if (at !== undefined) this.#count(at);
    }
  }

  #count(at: number): void {
    const { min, apart } = this.#members;
    const site = this.#sites[at]!;
    const fits = Math.min(apart ? 1 : min, site.fits(this.#tally.on(site.node.no)));
    this.#total += fits - this.#fits[at]!;
    this.#fits[at] = fits;
  }

  /** Spreads the members over the sites, on those with most room first. */
  seatMembers(): void {
    let left = this.#members.min;
    for (const [at, fits] of [...this.#fits.entries()].sort(([i, a], [j, b]) => b - a || i - j)) {
      this.#sites[at]!.members = Math.min(left, fits);
      left -= this.#sites[at]!.members;
    }
  }
}
