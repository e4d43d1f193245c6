import type { ReadonlyFleet } from "../../fleet/readonly-fleet.ts";
import type { AccountNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import { addTo, type Held, nothingHeld } from "../../quota/held.ts";

interface OfAccount {
  readonly jobs: Set<Job>;
  /** Undefined = to be worked out: the jobs or what they hold changed. */
  least: Held | undefined;
}

/** Jobs that hold leases and checkpoint, by account. */
export class Resumable {
  readonly #byAccount = new Map<AccountNo, OfAccount>();

  get isEmpty(): boolean {
    return this.#byAccount.size === 0;
  }

  add(job: Job): void {
    const known = this.#byAccount.get(job.account);
    if (known === undefined) this.#byAccount.set(job.account, { jobs: new Set([job]), least: undefined });
    else {
      known.jobs.add(job);
      known.least = undefined;
    }
  }

  delete(job: Job): void {
    const known = this.#byAccount.get(job.account);
    if (known?.jobs.delete(job) !== true) return;
    known.least = undefined;
    if (known.jobs.size === 0) this.#byAccount.delete(job.account);
  }

  /** A job holds less than before. */
  lessen({ account }: Job): void {
    const known = this.#byAccount.get(account);
    if (known !== undefined) known.least = undefined;
  }

  of(account: AccountNo): Iterable<Job> {
    return this.#byAccount.get(account)?.jobs ?? [];
  }

  /** The least of each resource that any of them holds: the account loses that much with any victim; undefined = none. */
  leastOf(account: AccountNo, fleet: ReadonlyFleet): Held | undefined {
    const known = this.#byAccount.get(account);
    if (known === undefined) return undefined;
    known.least ??= findLeast(known.jobs, fleet);
    return known.least;
  }
}

function findLeast(jobs: Iterable<Job>, fleet: ReadonlyFleet): Held {
  const least = nothingHeld();
  let first = true;
  for (const { leases } of jobs) {
    const held = nothingHeld();
    for (const lease of leases) addTo(held, fleet, lease, 1);
    const less = (a: number, b: number) => (first ? b : Math.min(a, b));
    least.units = less(least.units, held.units);
    least.memoryUnits = less(least.memoryUnits, held.memoryUnits);
    least.cpusMilli = less(least.cpusMilli, held.cpusMilli);
    least.memoryMiB = less(least.memoryMiB, held.memoryMiB);
    first = false;
  }
  return least;
}
