import type { Account } from "../model/account.ts";
import { modelMatches } from "../model/gpu-name.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { accountOf, isInside, pathUp } from "../quota/accounts.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import type { Demand } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { addGpus, addTo, type Held, minus, nothingHeld, stayingOf, unitsOf } from "../quota/held.ts";
import { unlentBeside } from "../quota/lending.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** Whether a job may have to wait for quota as well as for room [B4]; for most jobs quota need not be looked at. */
export function waitsForQuota(state: ReadonlyState, { account, spec }: Job): boolean {
  if (!spec.preemptible || state.lendingLimits > 0) return true;
  for (const { terms } of pathUp(state, account)) {
    const { max, maxCpusMilli, maxMemoryMiB } = terms.quota;
    if (max !== undefined || maxCpusMilli !== undefined || maxMemoryMiB !== undefined) return true;
  }
  return false;
}

/** Whether some guarantee on its path would cover a job if nothing else ran. */
export function mayBeCovered(state: ReadonlyState, { account }: Job, demand: Demand): boolean {
  return coverFor(state, account, demand, nothingHeld) !== noAccount;
}

/** A job and what it would hold. */
export interface JobDemand {
  readonly job: Job;
  readonly demand: Demand;
}

/**
 * What accounts will hold at a later instant: the staying usage of now, less the jobs that have ended by then, plus the
 * jobs that have begun. It serves one job: usage of other tenants is followed only where a guarantee is not lent, since
 * only then it counts.
 */
export class FutureUsage {
  readonly #state: ReadonlyState;
  readonly #tenant: AccountNo;
  /** By account: how much less than now its subtree holds. */
  readonly #less = new Map<AccountNo, Held>();
  /** How much more than now is free on nodes that take work. */
  readonly #freed = nothingHeld();

  constructor(state: ReadonlyState, { account }: Job) {
    this.#state = state;
    this.#tenant = accountOf(state, account).tenant;
  }

  /** A running job has ended by then. */
  end(job: Job): void {
    if (job.state === "stopping") return; // it is not staying usage
    const { fleet, lendingLimits } = this.#state;
    if (lendingLimits === 0 && accountOf(this.#state, job.account).tenant !== this.#tenant) return;
    for (const lease of job.leases) {
      if (lease.state === "stopping") continue;
      if (fleet.node(lease.node).mode === "up") addTo(this.#freed, fleet, lease, 1);
      for (const held of this.#lessOn(job.account)) addTo(held, fleet, lease, 1);
    }
  }

  /** A job that has not started yet runs by then. */
  begin(demand: JobDemand): void {
    this.#count(demand, -1);
  }

  /** Undoes `begin`. */
  notBegin(demand: JobDemand): void {
    this.#count(demand, 1);
  }

  #count({ job, demand }: JobDemand, sign: 1 | -1): void {
    add(this.#freed, demand, sign);
    for (const held of this.#lessOn(job.account)) add(held, demand, sign);
  }

  /** How much less than now an account and each account above it hold. */
  *#lessOn(account: AccountNo): Generator<Held> {
    for (let at = account; at !== noAccount; at = accountOf(this.#state, at).parent) {
      let held = this.#less.get(at);
      if (held === undefined) {
        held = nothingHeld();
        this.#less.set(at, held);
      }
      yield held;
    }
  }

  /** Whether quota lets a job start then, if the jobs `beside` run as well and those in `without` do not [C4, C5]. */
  allows({ job, demand }: JobDemand, beside: readonly JobDemand[], without: readonly JobDemand[] = []): boolean {
    const state = this.#state;
    const held = (account: Account) => this.#held(account.no, beside, without);
    if (ceilingHit(state, job.account, demand, held) !== undefined) return false;
    if (coverFor(state, job.account, demand, held) !== noAccount) return true;
    if (!job.spec.preemptible) return false;
    if (demand.units === 0 || state.lendingLimits === 0) return true;
    const freeOf = (name: string): number => {
      let free = state.fleet.freeUnitsOnceLeft(name) + unitsOf(state, this.#freed, name);
      for (const other of beside) free -= unitsDemanded(state, other, name);
      for (const other of without) free += unitsDemanded(state, other, name);
      return free;
    };
    const heldBy = (account: AccountNo) => this.#held(account, beside, without);
    return unlentBeside(state, job.account, demand, freeOf, heldBy) === 0;
  }

  /** The guarantee that covers a job then; `noAccount` = none. */
  coverOf({ job, demand }: JobDemand, beside: readonly JobDemand[], without: readonly JobDemand[] = []): AccountNo {
    return coverFor(this.#state, job.account, demand, ({ no }) => this.#held(no, beside, without));
  }

  #held(account: AccountNo, beside: readonly JobDemand[], without: readonly JobDemand[]): Held {
    const staying = stayingOf(this.#state, account);
    const less = this.#less.get(account);
    if (less === undefined && beside.length + without.length === 0) return staying;
    const isHere = ({ job }: JobDemand) => isInside(this.#state, job.account, account);
    const [more, fewer] = [beside.filter(isHere), without.filter(isHere)];
    if (less === undefined && more.length === 0 && fewer.length === 0) return staying;
    const held = minus(staying, less ?? nothingHeld());
    for (const { demand } of more) add(held, demand, 1);
    for (const { demand } of fewer) add(held, demand, -1);
    return held;
  }
}

/** What a job would hold of the models of a name. */
function unitsDemanded({ fleet }: ReadonlyState, { demand }: JobDemand, name: string): number {
  return demand.model >= 0 && modelMatches(name, fleet.models[demand.model]!) ? demand.units : 0;
}

function add(held: Held, { model, units, memoryUnits, cpusMilli, memoryMiB }: Demand, sign: 1 | -1): void {
  held.cpusMilli += sign * cpusMilli;
  held.memoryMiB += sign * memoryMiB;
  if (model >= 0) addGpus(held, model, sign * units, sign * memoryUnits);
}
