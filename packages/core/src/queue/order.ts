import { type AccountNo, noAccount } from "../model/ids.ts";
import { modelsFor } from "../place/place.ts";
import { type State, tenantOf, unitsOf } from "../state/state.ts";
import { before, type WaitingGroup } from "../state/waiting.ts";
import { borrowedUnits, coverFor } from "./quota.ts";

interface Contender {
  readonly group: WaitingGroup;
  readonly tenant: AccountNo;
  burst: boolean;
  borrowed: number;
}

/**
 * The groups that compete in one pass. Next is a job that its guarantee holds before one that would borrow; then the
 * tenant that borrows least; then the order inside the account, priority and age.
 */
export class Contest {
  readonly #state: State;
  readonly #open: Contender[] = [];

  constructor(state: State, groups: Iterable<WaitingGroup>) {
    this.#state = state;
    for (const group of groups) {
      const contender = { group, tenant: tenantOf(state, group.account).no, burst: false, borrowed: 0 };
      this.#rank(contender);
      this.#open.push(contender);
    }
  }

  next(): WaitingGroup | undefined {
    let best: Contender | undefined;
    for (const contender of this.#open) if (best === undefined || goesFirst(contender, best)) best = contender;
    return best?.group;
  }

  /** Nobody of this group can start in this pass. */
  close(group: WaitingGroup): void {
    const at = this.#open.findIndex((contender) => contender.group === group);
    this.#open[at] = this.#open.at(-1)!;
    this.#open.pop();
  }

  /** The first of this group has started, which changes how its tenant stands. */
  started(group: WaitingGroup): void {
    if (group.jobs.length === 0) this.close(group);
    const tenant = tenantOf(this.#state, group.account).no;
    for (const contender of this.#open) if (contender.tenant === tenant) this.#rank(contender);
  }

  #rank(contender: Contender): void {
    const state = this.#state;
    const job = contender.group.jobs[0]!;
    const model = modelsFor(state, job, 0)[0] ?? -1;
    contender.burst = coverFor(state, job.account, { model, units: unitsOf(job, 0) }) === noAccount;
    contender.borrowed = borrowedUnits(state, tenantOf(state, job.account));
  }
}

function goesFirst(a: Contender, b: Contender): boolean {
  if (a.burst !== b.burst) return !a.burst;
  const [jobA, jobB] = [a.group.jobs[0]!, b.group.jobs[0]!];
  // Priority is a matter inside one account: between accounts everyone would call everything urgent.
  if (a.group.account === b.group.account) return before(jobA, jobB);
  if (a.borrowed !== b.borrowed) return a.borrowed < b.borrowed;
  return jobA.no < jobB.no;
}
