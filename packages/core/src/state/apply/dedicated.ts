import { noteHistory } from "../../learn/history.ts";
import { type AccountNo, type JobNo, type NodeNo, noAccount, rootAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { AccountTree } from "../../quota/accounts.ts";
import { accountOf, tenantOf } from "../../quota/accounts.ts";
import { addGpus, addGpusOf, type Held, nothingHeld } from "../../quota/held.ts";
import { jobOf } from "../live-jobs.ts";
import type { ReadonlyState } from "../readonly-state.ts";
import type { State } from "../state.ts";

/*
 * Tenants on each node, and the nodes that a confidential tenant has to itself [U3]. Beside what its jobs hold, such a
 * tenant is charged for the remainder of the node's GPUs. The remainder belongs to the lowest account above all jobs that
 * came to the node since it was empty. It only ever moves up, to accounts where it counted already, so no ceiling breaks.
 */

/** To be called before the seats of a node change. */
export function beforeSeats(state: State, node: NodeNo): void {
  if (state.dedicated.size > 0) chargeRemainder(state, node, -1);
}

/** To be called when other GPUs of a node are offered than before `beforeSeats`. */
export function afterOffers(state: State, node: NodeNo): void {
  if (state.dedicated.size > 0) chargeRemainder(state, node, 1);
}

/** To be called when a seat of the job, or one that is kept for it, has come (`sign` 1) to a node or gone (-1). */
export function afterSeats(state: State, job: Job, node: NodeNo, sign: 1 | -1): void {
  if (state.confidential === 0) return;
  const { no: tenant, terms } = tenantOf(state, job.account);
  const left = countTenant(state, node, tenant, sign);
  const charged = state.dedicated.get(node);
  const isOwn = charged !== undefined && tenantOf(state, charged).no === tenant;
  // Another tenant that is still there is leaving: the node is charged to this one from now on.
  if (sign > 0 && terms.trust === "confidential")
    state.dedicated.set(node, isOwn ? lowestAbove(state, charged, job.account) : job.account);
  if (state.dedicated.size === 0) return;
  if (left === 0 && isOwn) state.dedicated.delete(node);
  chargeRemainder(state, node, 1);
}

/** The node leaves the fleet. */
export function forgetNode(state: State, node: NodeNo): void {
  chargeRemainder(state, node, -1);
  state.dedicated.delete(node);
  state.tenantsOn.delete(node);
}

/** Tenants on nodes are counted only while some tenant is confidential; to be called when the first becomes so. */
export function countTenants(state: State): void {
  state.tenantsOn.clear();
  for (const { job, node } of state.leases.values()) countTenant(state, node, tenantNo(state, job), 1);
  for (const { no, claim } of state.claimants)
    for (const { node } of claim!.seats) countTenant(state, node, tenantNo(state, no), 1);
}

function tenantNo(state: State, job: JobNo): AccountNo {
  return tenantOf(state, jobOf(state, job).account).no;
}

/** The trust of a tenant has changed: the nodes that it uses become its own, or are shared again. */
export function trustChanged(state: State, tenant: AccountNo): void {
  const confidential = accountOf(state, tenant).terms.trust === "confidential";
  for (const [node, tenants] of state.tenantsOn) {
    const charged = state.dedicated.get(node);
    if (!confidential && charged !== undefined && tenantOf(state, charged).no === tenant) {
      chargeRemainder(state, node, -1);
      state.dedicated.delete(node);
    }
    if (confidential && charged === undefined && tenants.has(tenant)) {
      state.dedicated.set(node, tenant);
      chargeRemainder(state, node, 1);
    }
  }
}

/** Sets which accounts are charged; how a snapshot is read back. */
export function restoreDedicated(state: State, dedicated: Iterable<readonly [NodeNo, AccountNo]>): void {
  for (const node of state.dedicated.keys()) chargeRemainder(state, node, -1);
  state.dedicated.clear();
  for (const [node, account] of dedicated) {
    state.dedicated.set(node, account);
    chargeRemainder(state, node, 1);
  }
}

/** The lowest account that is above both, or one of them. */
export function lowestAbove(state: AccountTree, a: AccountNo, b: AccountNo): AccountNo {
  const path = new Set<AccountNo>();
  for (let at = a; at !== noAccount; at = accountOf(state, at).parent) path.add(at);
  for (let at = b; at !== noAccount; at = accountOf(state, at).parent) if (path.has(at)) return at;
  return rootAccount;
}

/** Counts a seat of a tenant on a node in or out; returns how many it has there now. */
function countTenant(state: State, node: NodeNo, tenant: AccountNo, sign: 1 | -1): number {
  let tenants = state.tenantsOn.get(node);
  if (tenants === undefined) {
    tenants = new Map();
    state.tenantsOn.set(node, tenants);
  }
  const count = (tenants.get(tenant) ?? 0) + sign;
  if (count > 0) tenants.set(tenant, count);
  else tenants.delete(tenant);
  if (tenants.size === 0) state.tenantsOn.delete(node);
  return count;
}

/** The part of a node's GPUs that is neither held nor kept for a claimant. */
export function remainderOf({ fleet }: Pick<ReadonlyState, "fleet">, no: NodeNo): Held {
  const remainder = nothingHeld();
  const node = fleet.nodes[no];
  if (node === undefined) return remainder;
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
    if (fleet.gpuHeldFor[gpu] !== 0) continue;
    addGpus(remainder, fleet.gpuModel[gpu]!, fleet.gpuFree[gpu]!, fleet.gpuFreeMemory[gpu]!);
  }
  return remainder;
}

/** Charges the remainder of a dedicated node (`sign` 1) or takes it back (-1). */
function chargeRemainder(state: State, node: NodeNo, sign: 1 | -1): void {
  const charged = state.dedicated.get(node);
  if (charged === undefined) return;
  const remainder = remainderOf(state, node);
  for (let at = charged; at !== noAccount; at = accountOf(state, at).parent) {
    noteHistory(state, at);
    addGpusOf(state.usage[at]!, remainder, sign);
    state.waiting.heldChanged(at);
  }
  state.waiting.listener.classesMayChange(charged);
}
