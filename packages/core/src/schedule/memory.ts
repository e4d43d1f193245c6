import { ClaimWatch } from "../claim/claim-watch.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { KnownFull } from "../place/full-marks.ts";
import { Candidates } from "../queue/candidates.ts";
import { Timers } from "../state/indexes/timers.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { Listener } from "../state/listener.ts";
import type { State } from "../state/state.ts";
import { AccountSet } from "./account-set.ts";
import { InsistingGroups } from "./insisting.ts";
import { KeptContests } from "./kept-contests.ts";
import { remindOf } from "./reminders.ts";

/**
 * What the scheduler remembers between passes so as not to look at everything again. None of it is a fact: it can be
 * dropped between two batches, which costs time and changes no decision. After a batch nothing is left that could start
 * and has not been tried, so a new memory begins with nothing to try.
 */
export class SchedulerMemory implements Listener {
  /** Wishes that found no free seats. Saves searching the fleet again for each job with the same wish. */
  readonly full = new KnownFull();
  readonly candidates = new Candidates();
  readonly contests = new KeptContests(this.candidates);
  /** Claimants to look at again. Saves asking all of them whether their seats are free. */
  readonly claims = new ClaimWatch();
  /** Accounts whose jobs may change class. Saves settling all accounts after each start. */
  readonly classes = new AccountSet();
  /** Groups with a guarantee, or lesser work of their own account, to claim by. Saves the check of all groups. */
  readonly insisting = new InsistingGroups();
  /** When the scheduler wants to look again although nothing happens. */
  readonly timers = new Timers();
  /** The planned starts as of the last pass. */
  readonly startsAt = new Map<Job, Instant>();
  #state: State | undefined;
  #roomChanged = false;
  #fresh: WaitingGroup[] = [];

  /** Listens to a state from now on, which is as a batch has left it. */
  watch(state: State): void {
    if (this.#state === state && state.waiting.listener === this) return;
    if (this.#state !== undefined) throw new Error("a scheduler's memory is of one state; make another");
    this.#state = state;
    state.waiting.listener = this;
    for (const { account } of state.waiting.groups) remindOf(state, this.timers, account);
  }

  roomChanged(): void {
    this.#roomChanged = true;
  }

  firstChanged(group: WaitingGroup): void {
    if (this.#fresh.at(-1) !== group) this.#fresh.push(group);
  }

  classesMayChange(account: AccountNo): void {
    this.classes.add(account);
  }

  standingsChanged(): void {
    this.contests.forget();
    this.insisting.forget();
  }

  neighboursChanged(): void {
    this.full.neighboursChanged();
  }

  /** Groups whose first job is new since the last call. */
  takeFresh(): readonly WaitingGroup[] {
    const fresh = this.#fresh;
    if (fresh.length === 0) return fresh;
    this.#fresh = [];
    // Most often it is one alone.
    if (fresh.length === 1) return fresh[0]!.jobs.length > 0 ? fresh : [];
    return [...new Set(fresh)].filter((group) => group.jobs.length > 0);
  }

  /** Whether something changed since the last call by which any waiting job may be able to start. */
  takeRoomChanged(): boolean {
    const changed = this.#roomChanged;
    this.#roomChanged = false;
    return changed;
  }
}
