import type { AccountNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";

/** Jobs that hold leases and checkpoint, by account. */
export class Resumable {
  readonly #byAccount = new Map<AccountNo, Set<Job>>();

  get isEmpty(): boolean {
    return this.#byAccount.size === 0;
  }

  add(job: Job): void {
    const known = this.#byAccount.get(job.account);
    if (known === undefined) this.#byAccount.set(job.account, new Set([job]));
    else known.add(job);
  }

  delete(job: Job): void {
    const known = this.#byAccount.get(job.account);
    if (known?.delete(job) !== true) return;
    if (known.size === 0) this.#byAccount.delete(job.account);
  }

  of(account: AccountNo): Iterable<Job> {
    return this.#byAccount.get(account) ?? [];
  }
}
