import { type AccountNo, type NodeNo, noAccount, rootAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { jobOf } from "../../state/live-jobs.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Victim } from "../draft/victim.ts";
import type { Claimant } from "../rules/claimant.ts";
import type { Rule } from "../rules/rule.ts";
import { below, type TakeableRoom, VictimCatalog } from "./victim-catalog.ts";

/** The victims of a claimant's catalog that one plan may use. */
export class Offers {
  readonly #state: ReadonlyState;
  readonly #catalog: VictimCatalog;
  readonly #except: readonly Victim[];
  /** Whether work outside the claimant's cover may be taken by T1. */
  readonly floors: boolean;

  private constructor(state: ReadonlyState, catalog: VictimCatalog, floors: boolean, except: readonly Victim[]) {
    this.#state = state;
    this.#catalog = catalog;
    this.floors = floors;
    this.#except = except;
  }

  static to(state: ReadonlyState, claimant: Claimant, now: Instant): Offers {
    return new Offers(state, new VictimCatalog(state, claimant, now), claimant.cover !== noAccount, []);
  }

  without(victim: Victim): Offers {
    return new Offers(this.#state, this.#catalog, this.floors, [...this.#except, victim]);
  }

  withoutFloors(): Offers {
    return new Offers(this.#state, this.#catalog, false, this.#except);
  }

  ruleOf(victim: Victim): Rule {
    return this.#catalog.rules.get(victim)!;
  }

  /** The offer of the same job or member as one that the claimant got with another cover. */
  same({ job, extra, leases }: Victim): Victim | undefined {
    return this.#catalog
      .of(job)
      .find((each) => each.extra === extra && (!extra || each.leases[0] === leases[0]) && this.#has(each));
  }

  /** The offers that hold something on a node. */
  on(node: NodeNo): Victim[] {
    const found: Victim[] = [];
    for (const lease of this.#state.fleet.leasesOn(node)) {
      for (const victim of this.#catalog.of(jobOf(this.#state, lease.job))) {
        if (victim.extra && victim.leases[0] !== lease) continue;
        if (this.#has(victim) && !found.includes(victim)) found.push(victim);
      }
    }
    return found;
  }

  /** The offers of an account and everything below. */
  *below(account: AccountNo): Generator<Victim> {
    for (const each of below(this.#state, account)) yield* this.of(each);
  }

  *of(account: AccountNo): Generator<Victim> {
    for (const job of this.#state.active.of(account))
      for (const victim of this.#catalog.of(job)) if (this.#has(victim)) yield victim;
  }

  /** The extra members of a job, also those that the plan is searched without: with the whole job they leave too [T13]. */
  extrasOf(job: Job): Victim[] {
    return this.#catalog.of(job).filter((victim) => victim.extra && (this.floors || this.ruleOf(victim) !== "T1"));
  }

  #has(victim: Victim): boolean {
    return !this.#except.includes(victim) && (this.floors || this.ruleOf(victim) !== "T1");
  }

  /** Whether no victim can be taken; false where only the search would tell. */
  isEmpty(): boolean {
    if (!this.floors) return this.takeableOn().size === 0;
    const { usage, elastic } = this.#state;
    return usage[rootAccount]!.burst === 0 && elastic.size === 0 && this.coveredNodes().size === 0;
  }

  /** How much the catalog has examined. */
  get examined(): number {
    return this.#catalog.examined;
  }

  /** The nodes with work takeable by T2 or T3, and perhaps some without. */
  takeableOn(): ReadonlyMap<NodeNo, TakeableRoom> {
    return this.#catalog.takeableOn();
  }

  /** The nodes with takeable work that a guarantee covers. */
  coveredNodes(): ReadonlySet<NodeNo> {
    const nodes = new Set<NodeNo>();
    for (const job of this.#catalog.covered())
      for (const victim of this.#catalog.of(job))
        if (this.#has(victim)) for (const lease of victim.leases) nodes.add(lease.node);
    return nodes;
  }
}
