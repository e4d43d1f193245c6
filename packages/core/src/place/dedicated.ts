import type { Going, MayUse } from "../fleet/fit.ts";
import { nodesThatLast } from "../fleet/maintenance.ts";
import type { Seat } from "../journal/event.ts";
import type { Account } from "../model/account.ts";
import type { AccountNo, NodeNo } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import type { FleetNode } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import { accountOf, pathUp, tenantOf } from "../quota/accounts.ts";
import { addGpus, type Held, nothingHeld, plus } from "../quota/held.ts";
import { lowestAbove } from "../state/apply/dedicated.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";
import { type Asking, nodesOfOthers } from "./apart.ts";

/** Whether a tenant has nodes to itself. */
export function isConfidential(state: State, account: AccountNo): boolean {
  return state.confidential > 0 && tenantOf(state, account).terms.trust === "confidential";
}

/** Nodes that a job may use now: apart from whom it must be kept from, and not about to be out of use; undefined = all. */
export function nodesFor(state: State, job: Asking): MayUse | undefined {
  const apart = keptApart(state, job.account);
  const lasts = nodesThatLast(state, job.spec);
  const others = nodesOfOthers(state, job);
  return lasts === undefined && others === undefined ? apart : allOf(apart, lasts, others);
}

function allOf(
  apart: MayUse | undefined,
  lasts: ((node: FleetNode) => boolean) | undefined,
  others: ReadonlySet<NodeNo> | undefined,
): MayUse {
  return (node, going) => lasts?.(node) !== false && !others?.has(node.no) && apart?.(node, going) !== false;
}

/** Keeps confidential tenants and everyone else on different nodes [U3]; undefined where there is nothing to keep apart. */
export function keptApart(state: State, account: AccountNo): MayUse | undefined {
  return state.confidential === 0 ? undefined : awayFrom(state, tenantOf(state, account));
}

function awayFrom(state: State, { no: own }: Account): MayUse {
  return (node, gone = []) => {
    const tenants = state.tenantsOn.get(node.no);
    if (tenants === undefined) return true;
    const going = [...gone];
    for (const [tenant, seats] of tenants) {
      if (!shareNoNode(state, own, tenant)) continue;
      let left = seats;
      for (const each of going) {
        if (each.node === node.no && accountOf(state, each.account).tenant === tenant) left--;
      }
      if (left > 0) return false;
    }
    return true;
  };
}

/** The accounts that are charged with the rest of the nodes of some seats. */
export function chargedOn({ dedicated }: State, seats: readonly Seat[]): AccountNo[] {
  if (dedicated.size === 0) return [];
  return seats.map(({ node }) => dedicated.get(node)).filter((account) => account !== undefined);
}

/** Seats of a node that are being left. */
export function* leavingOn(state: State, node: NodeNo): Generator<Going> {
  for (const lease of state.fleet.leasesOn(node)) {
    const { account, state: run } = jobOf(state, lease.job);
    if (run === "stopping" || lease.state === "stopping") yield { account, node };
  }
}

/** Whether two accounts are of different tenants of whom one is confidential. */
export function shareNoNode(state: State, one: AccountNo, other: AccountNo): boolean {
  if (state.confidential === 0) return false;
  const [a, b] = [tenantOf(state, one), tenantOf(state, other)];
  return a !== b && (a.terms.trust === "confidential" || b.terms.trust === "confidential");
}

/** The nodes that the tenant of an account has to itself. */
export function* ownNodes(state: State, account: AccountNo): Generator<FleetNode> {
  const { tenant } = accountOf(state, account);
  for (const [no, charged] of state.dedicated) {
    const node = state.fleet.nodes[no];
    if (node !== undefined && accountOf(state, charged).tenant === tenant) yield node;
  }
}

/**
 * What each account on the path would hold without the job itself if it took these seats: the rest of each node that it
 * opens, and less of the rest of those it has; and what others leave on those. `held` is what counts before, with or
 * `without` those of its own who are leaving; nodes that would be empty it opens anew.
 */
export function heldBeside(
  state: State,
  account: AccountNo,
  seats: readonly Seat[],
  held: (account: Account) => Held = (each) => state.usage[each.no]!,
  isEmptied: (node: NodeNo) => boolean = () => false,
  without = false,
): (account: Account) => Held {
  const change = new Map<AccountNo, Held>();
  const add = (at: Account, model: number, units: number, memoryUnits: number): void => {
    let sum = change.get(at.no);
    if (sum === undefined) {
      sum = nothingHeld();
      change.set(at.no, sum);
    }
    addGpus(sum, model, units, memoryUnits);
  };
  for (const node of ownNodes(state, account)) {
    if (isEmptied(node.no)) continue;
    const above = pathUp(state, lowestAbove(state, state.dedicated.get(node.no)!, account));
    for (const { gpus, unitsEach, part } of beingLeftOn(state, node.no, account, without)) {
      for (const gpu of gpus) {
        if (state.fleet.gpuHeldFor[gpu] !== 0) continue;
        for (const at of above) add(at, state.fleet.gpuModel[gpu]!, unitsEach, part?.memory ?? unitsEach);
      }
    }
  }
  const opened = new Set<NodeNo>();
  for (const { node, gpus, part } of seats) {
    const charged = isEmptied(node) ? undefined : state.dedicated.get(node);
    const from = charged === undefined ? account : lowestAbove(state, charged, account);
    const above = [...pathUp(state, from)];
    if (charged === undefined && !opened.has(node)) {
      opened.add(node);
      const { fleet } = state;
      const { firstGpu, facts } = fleet.node(node);
      for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
        if (fleet.gpuHeldFor[gpu] === 0)
          for (const at of above) add(at, fleet.gpuModel[gpu]!, unitsPerGpu, unitsPerGpu);
      }
    }
    for (const gpu of gpus) {
      const model = state.fleet.gpuModel[gpu]!;
      for (const at of above) add(at, model, -(part?.compute ?? unitsPerGpu), -(part?.memory ?? unitsPerGpu));
    }
  }
  return (each) => {
    const more = change.get(each.no);
    return more === undefined ? held(each) : plus(held(each), more);
  };
}

/** Who is leaving a node that the tenant of an account keeps, so that it will be charged with what they held. */
function* beingLeftOn(state: State, node: NodeNo, account: AccountNo, own: boolean): Generator<Lease> {
  const { tenant } = accountOf(state, account);
  for (const lease of state.fleet.leasesOn(node)) {
    const job = jobOf(state, lease.job);
    if (job.state !== "stopping" && lease.state !== "stopping") continue;
    if (own || accountOf(state, job.account).tenant !== tenant) yield lease;
  }
}

/**
 * The same once all have gone who were told to, and `isGone` besides: on a node of which the tenant keeps a seat all that
 * is left there is its own; a node without any is nobody's.
 */
export function dedicatedRemainderThen(state: State, name: string, isGone: (lease: Lease) => boolean): number {
  const { fleet } = state;
  let units = 0;
  for (const no of state.dedicated.keys()) {
    const node = fleet.nodes[no];
    if (node?.mode !== "up") continue;
    let isKept = false;
    let free = 0;
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
      if (fleet.gpuHeldFor[gpu] !== 0) isKept = true;
      else if (fleet.isOf(gpu, name)) free += unitsPerGpu;
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
