import type { NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { State } from "../state/state.ts";

/** Which claimants to ask whether they can start: most wait for nodes on which nothing has changed. */
export class ClaimWatch {
  /** The change of the fleet up to which claimants have been asked; -1 = none have. */
  #askedAt = -1;
  /** Claimants whose seats were free, but something else was missing. */
  #heldUp = new Set<Job>();

  /** In order of their claims: those on whose nodes something has changed, and those that were held up. */
  take({ claimants, claimantsOn, fleet }: State): Job[] {
    const { count, recent } = fleet.changes;
    const [askedAt, heldUp] = [this.#askedAt, this.#heldUp];
    this.#askedAt = count;
    if (claimants.size === 0) return [];
    if (heldUp.size > 0) this.#heldUp = new Set();
    if (askedAt < 0 || count - askedAt > recent.length) return [...claimants];
    for (let change = askedAt; change < count; change++)
      for (const job of claimantsOn.get(recent[change % recent.length]! as NodeNo) ?? []) heldUp.add(job);
    return heldUp.size === 0 ? [] : [...claimants].filter((job) => heldUp.has(job));
  }

  /** The seats of a claimant are free, and it has not started. */
  holdUp(job: Job): void {
    this.#heldUp.add(job);
  }
}
