import type { NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** The claimants that may be able to start now: most wait for nodes on which nothing has changed. */
export class ClaimWatch {
  /** The change of the fleet up to which claimants have been checked; -1 = none have. */
  #checkedAt = -1;
  /** Claimants whose seats were free when checked, but that lacked something else. */
  #heldUp = new Set<Job>();

  /** The claimants to check, in order of their claims: a node of their seats has changed, or they were held up. */
  take({ claimants, claimantsOn, fleet }: ReadonlyState): Job[] {
    const { count, recent } = fleet.changes;
    const [checkedAt, heldUp] = [this.#checkedAt, this.#heldUp];
    this.#checkedAt = count;
    if (claimants.size === 0) return [];
    if (heldUp.size > 0) this.#heldUp = new Set();
    if (checkedAt < 0 || count - checkedAt > recent.length) return [...claimants];
    for (let change = checkedAt; change < count; change++)
      for (const job of claimantsOn.get(recent[change % recent.length]! as NodeNo) ?? []) heldUp.add(job);
    return heldUp.size === 0 ? [] : [...claimants].filter((job) => heldUp.has(job));
  }

  /** The seats of a claimant are free, and it has not started. */
  holdUp(job: Job): void {
    this.#heldUp.add(job);
  }
}
