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
import type { State } from "../state/state.ts";

/** Whether a job may have to wait for quota as well as for room: most need not be asked. */
export function waitsForQuota(state: State, { account, spec }: Job): boolean {
  if (!spec.preemptible || state.lendingLimits > 0) return true;
  for (const { terms } of pathUp(state, account)) {
    const { max, maxCpusMilli, maxMemoryMiB } = terms.quota;
    if (max !== undefined || maxCpusMilli !== undefined || maxMemoryMiB !== undefined) return true;
  }
  return false;
}

/** Whether some guarantee on its path would hold a job if nothing else ran. */
export function mayBeCovered(state: State, { account }: Job, demand: Demand): boolean {
  return coverFor(state, account, demand, nothingHeld) !== noAccount;
}

/** A job and what it would hold. */
export interface Asking {
  readonly job: Job;
  readonly demand: Demand;
}

/**
 * What accounts will hold at a moment to come: what stays of what they hold, less what is over by then. Who starts
 * meanwhile counts by itself. It is asked for one job: what other tenants hold counts only where something is not lent.
 */
export class UsageThen {
  readonly #state: State;
  readonly #tenant: AccountNo;
  readonly #less = new Map<AccountNo, Held>();
  /** What is free by then beyond what is now, on nodes that take work. */
  readonly #freed = nothingHeld();

  constructor(state: State, { account }: Job) {
    this.#state = state;
    this.#tenant = accountOf(state, account).tenant;
  }

  /** A job is over by then. */
  end(job: Job): void {
    if (job.state === "stopping") return; // it does not stay
    const { fleet, lendingLimits } = this.#state;
    if (lendingLimits === 0 && accountOf(this.#state, job.account).tenant !== this.#tenant) return;
    for (const lease of job.leases) {
      if (lease.state === "stopping") continue;
      if (fleet.node(lease.node).mode === "up") addTo(this.#freed, fleet, lease, 1);
      for (const held of this.#lessOn(job.account)) addTo(held, fleet, lease, 1);
    }
  }

  /** A job that has not started yet runs then. */
  begin(asking: Asking): void {
    this.#count(asking, -1);
  }

  /** It does not after all. */
  notBegin(asking: Asking): void {
    this.#count(asking, 1);
  }

  #count({ job, demand }: Asking, sign: 1 | -1): void {
    add(this.#freed, demand, sign);
    for (const held of this.#lessOn(job.account)) add(held, demand, sign);
  }

  /** What is taken off what an account and those above it hold. */
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

  /** Whether quota lets a job start then, beside some others who run, and `without` some who were to [C4, C5]. */
  holds({ job, demand }: Asking, beside: readonly Asking[], without: readonly Asking[] = []): boolean {
    const state = this.#state;
    const held = (account: Account) => this.#held(account.no, beside, without);
    if (ceilingHit(state, job.account, demand, held) !== undefined) return false;
    if (coverFor(state, job.account, demand, held) !== noAccount) return true;
    if (!job.spec.preemptible) return false;
    if (demand.units === 0 || state.lendingLimits === 0) return true;
    const freeOf = (name: string): number => {
      let free = state.fleet.freeUnitsOnceLeft(name) + unitsOf(state, this.#freed, name);
      for (const other of beside) free -= unitsAsked(state, other, name);
      for (const other of without) free += unitsAsked(state, other, name);
      return free;
    };
    const heldBy = (account: AccountNo) => this.#held(account, beside, without);
    return unlentBeside(state, job.account, demand, freeOf, heldBy) === 0;
  }

  /** The guarantee that holds a job then; `noAccount` = none. */
  coverOf({ job, demand }: Asking, beside: readonly Asking[], without: readonly Asking[] = []): AccountNo {
    return coverFor(this.#state, job.account, demand, ({ no }) => this.#held(no, beside, without));
  }

  #held(account: AccountNo, beside: readonly Asking[], without: readonly Asking[]): Held {
    const staying = stayingOf(this.#state, account);
    const less = this.#less.get(account);
    if (less === undefined && beside.length + without.length === 0) return staying;
    const isHere = ({ job }: Asking) => isInside(this.#state, job.account, account);
    const [more, fewer] = [beside.filter(isHere), without.filter(isHere)];
    if (less === undefined && more.length === 0 && fewer.length === 0) return staying;
    const held = minus(staying, less ?? nothingHeld());
    for (const { demand } of more) add(held, demand, 1);
    for (const { demand } of fewer) add(held, demand, -1);
    return held;
  }
}

/** What a job would hold of the models of a name. */
function unitsAsked({ fleet }: State, { demand }: Asking, name: string): number {
  return demand.model >= 0 && modelMatches(name, fleet.models[demand.model]!) ? demand.units : 0;
}

function add(held: Held, { model, units, memoryUnits, cpusMilli, memoryMiB }: Demand, sign: 1 | -1): void {
  held.cpusMilli += sign * cpusMilli;
  held.memoryMiB += sign * memoryMiB;
  if (model >= 0) addGpus(held, model, sign * units, sign * memoryUnits);
}
