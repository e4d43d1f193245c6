import type { Seat } from "../journal/event.ts";
import type { Account } from "../model/account.ts";
import type { AccountNo, NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import { unitsPerGpu } from "../model/units.ts";
import { accountOf, pathUp } from "../quota/accounts.ts";
import { addGpus, type Held, nothingHeld, plus } from "../quota/held.ts";
import { lowestAbove } from "../state/apply/dedicated.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { ownNodes } from "./dedicated.ts";

/** The accounts that are charged for the remainder of the nodes of some seats [U3]. */
export function chargedOn({ dedicated }: ReadonlyState, seats: readonly Seat[]): AccountNo[] {
  if (dedicated.size === 0) return [];
  return seats.map(({ node }) => dedicated.get(node)).filter((account) => account !== undefined);
}

/** The usage from which a job of a confidential tenant would start. */
export interface UsageBefore {
  /** What an account holds; its present usage by default. */
  readonly held?: (account: Account) => Held;
  /** Whether a node will be empty by then: its remainder is no longer charged, and the job opens it again. */
  readonly isEmptied?: (node: NodeNo) => boolean;
  /** `held` leaves out the tenant's own stopping jobs, so what they free on nodes that it keeps is added here. */
  readonly withoutOwnLeaving?: boolean;
}

/**
 * What each account would hold beside the job itself if a job of a confidential tenant took these seats [U3]: more by the
 * remainder of each node that it opens and by what other jobs leave on the tenant's nodes, less by the seats, which come
 * out of the remainder.
 */
export function heldBeside(
  state: ReadonlyState,
  account: AccountNo,
  seats: readonly Seat[],
  { held = ({ no }) => state.usage[no]!, isEmptied = () => false, withoutOwnLeaving = false }: UsageBefore = {},
): (account: Account) => Held {
  const change = new UsageChange(state);
  for (const { no: node } of ownNodes(state, account)) {
    if (isEmptied(node)) continue;
    const owner = lowestAbove(state, state.dedicated.get(node)!, account);
    for (const { gpus, unitsEach, part } of leftToTenant(state, node, account, withoutOwnLeaving))
      for (const gpu of gpus)
        if (state.fleet.gpuHeldFor[gpu] === 0) change.add(owner, gpu, unitsEach, part?.memory ?? unitsEach);
  }
  const opened = new Set<NodeNo>();
  for (const { node, gpus, part } of seats) {
    const charged = isEmptied(node) ? undefined : state.dedicated.get(node);
    const owner = charged === undefined ? account : lowestAbove(state, charged, account);
    if (charged === undefined && !opened.has(node)) {
      opened.add(node);
      change.addNode(owner, node);
    }
    for (const gpu of gpus) change.add(owner, gpu, -(part?.compute ?? unitsPerGpu), -(part?.memory ?? unitsPerGpu));
  }
  return (each) => change.addedTo(each, held(each));
}

/** GPU units that accounts would hold more or less. */
class UsageChange {
  readonly #state: ReadonlyState;
  readonly #byAccount = new Map<AccountNo, Held>();

  constructor(state: ReadonlyState) {
    this.#state = state;
  }

  /** Counts units of a GPU on an account and everything above. */
  add(account: AccountNo, gpu: number, units: number, memoryUnits: number): void {
    for (const { no } of pathUp(this.#state, account)) {
      let sum = this.#byAccount.get(no);
      if (sum === undefined) {
        sum = nothingHeld();
        this.#byAccount.set(no, sum);
      }
      addGpus(sum, this.#state.fleet.gpuModel[gpu]!, units, memoryUnits);
    }
  }

  /** Counts all GPUs of a node that are not kept for a claimant. */
  addNode(account: AccountNo, no: NodeNo): void {
    const { fleet } = this.#state;
    const { firstGpu, facts } = fleet.node(no);
    for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++)
      if (fleet.gpuHeldFor[gpu] === 0) this.add(account, gpu, unitsPerGpu, unitsPerGpu);
  }

  addedTo({ no }: Account, held: Held): Held {
    const more = this.#byAccount.get(no);
    return more === undefined ? held : plus(held, more);
  }
}

/** Stopping leases of a node that the tenant of an account keeps: it will be charged for what they held. */
function* leftToTenant(state: ReadonlyState, node: NodeNo, account: AccountNo, withOwn: boolean): Generator<Lease> {
  const { tenant } = accountOf(state, account);
  for (const lease of state.fleet.leasesOn(node)) {
    const job = jobOf(state, lease.job);
    if (job.state !== "stopping" && lease.state !== "stopping") continue;
    if (withOwn || accountOf(state, job.account).tenant !== tenant) yield lease;
  }
}

/**
 * Like `dedicatedRemainder`, once all stopping jobs have left, and the leases that are `gone` besides: a node on which
 * the tenant keeps a seat is its own up to the last GPU, and a node without any is shared again.
 */
export function dedicatedRemainderThen(state: ReadonlyState, name: string, isGone: (lease: Lease) => boolean): number {
  const { fleet } = state;
  let units = 0;
  for (const no of state.dedicated.keys()) {
    const node = fleet.nodes[no];
    if (node?.mode !== "up") continue;
    let isKept = false;
    let free = 0;
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
      if (fleet.gpuHeldFor[gpu]! > 0) isKept = true;
      else if (fleet.gpuHeldFor[gpu] === 0 && fleet.isOf(gpu, name)) free += unitsPerGpu;
    }
    for (const lease of fleet.leasesOn(no)) {
      if (lease.state === "stopping" || jobOf(state, lease.job).state === "stopping" || isGone(lease)) continue;
      isKept = true;
      for (const gpu of lease.gpus) if (fleet.gpuHeldFor[gpu] === 0 && fleet.isOf(gpu, name)) free -= lease.unitsEach;
    }
    if (isKept) units += free;
  }
  return units;
}
