import type { AccountNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";

type Named = Pick<Job, "account" | "spec">;

/** By account: the job names that its live jobs are to be kept apart from [P8]. Saves the check for all other jobs. */
export class ApartNames {
  readonly #counts = new Map<AccountNo, Map<string, number>>();

  count({ account, spec }: Named, sign: 1 | -1): void {
    const counts = this.#counts.get(account) ?? new Map<string, number>();
    for (const name of spec.apartFrom ?? []) {
      const count = (counts.get(name) ?? 0) + sign;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    }
    if (counts.size > 0) this.#counts.set(account, counts);
    else this.#counts.delete(account);
  }

  /** Whether a job is to be kept apart from other jobs, or they from it. */
  concerns({ account, spec }: Named): boolean {
    if (spec.apartFrom !== undefined) return true;
    return this.#counts.size > 0 && this.#counts.get(account)?.has(spec.name) === true;
  }
}
