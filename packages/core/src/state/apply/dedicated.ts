import { noteHistory } from "../../learn/history.ts";
import { type AccountNo, type JobNo, type NodeNo, noAccount, rootAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import { accountOf, tenantOf } from "../../quota/accounts.ts";
import { addGpus, addGpusOf, type Held, nothingHeld } from "../../quota/held.ts";
import { jobOf } from "../live-jobs.ts";
import type { State } from "../state.ts";

/**
 * Who is on which node, and the nodes that confidential tenants have to themselves [U3]: beside what its jobs hold, such
 * a tenant is charged with the rest of the node's GPUs. The rest belongs to the lowest account that holds everyone who
 * came to the node since it was empty. It only ever moves up, where it was counted already, so no ceiling breaks by it.
 */

/** To be called before the seats of a node change. */
export function beforeSeats(state: State, node: NodeNo): void {
  if (state.dedicated.size > 0) chargeRest(state, node, -1);
}

/** To be called when a seat of the job, or one that is kept for it, has come (`sign` 1) to a node or gone (-1). */
export function afterSeats(state: State, job: Job, node: NodeNo, sign: 1 | -1): void {
  if (state.confidential === 0) return;
  const { no: tenant, terms } = tenantOf(state, job.account);
  const left = countTenant(state, node, tenant, sign);
  const charged = state.dedicated.get(node);
  const isOwn = charged !== undefined && tenantOf(state, charged).no === tenant;
  // Another tenant that is there is leaving what is kept for this one, which holds the node from now on.
  if (sign > 0 && terms.trust === "confidential")
    state.dedicated.set(node, isOwn ? lowestAbove(state, charged, job.account) : job.account);
  if (state.dedicated.size === 0) return;
  if (left === 0 && isOwn) state.dedicated.delete(node);
  chargeRest(state, node, 1);
}

/** The node leaves the fleet. */
export function forgetNode(state: State, node: NodeNo): void {
  chargeRest(state, node, -1);
  state.dedicated.delete(node);
  state.tenantsOn.delete(node);
}

/** Who is where is counted only while some tenant is confidential; to be called when one is, after none was. */
export function countTenants(state: State): void {
  state.tenantsOn.clear();
  for (const { job, node } of state.leases.values()) countTenant(state, node, tenantNo(state, job), 1);
  for (const { no, claim } of state.claimants)
    for (const { node } of claim!.seats) countTenant(state, node, tenantNo(state, no), 1);
}

function tenantNo(state: State, job: JobNo): AccountNo {
  return tenantOf(state, jobOf(state, job).account).no;
}

/** The trust of a tenant has changed: the nodes that it is on become its own, or are no longer. */
export function trustChanged(state: State, tenant: AccountNo): void {
  const confidential = accountOf(state, tenant).terms.trust === "confidential";
  for (const [node, tenants] of state.tenantsOn) {
    const charged = state.dedicated.get(node);
    if (!confidential && charged !== undefined && tenantOf(state, charged).no === tenant) {
      chargeRest(state, node, -1);
      state.dedicated.delete(node);
    }
    if (confidential && charged === undefined && tenants.has(tenant)) {
      state.dedicated.set(node, tenant);
      chargeRest(state, node, 1);
    }
  }
}

/** Takes over which accounts are charged; how a snapshot is read back. */
export function restoreDedicated(state: State, dedicated: Iterable<readonly [NodeNo, AccountNo]>): void {
  for (const node of state.dedicated.keys()) chargeRest(state, node, -1);
  state.dedicated.clear();
  for (const [node, account] of dedicated) {
    state.dedicated.set(node, account);
    chargeRest(state, node, 1);
  }
}

/** The lowest account that is above both, or one of them. */
export function lowestAbove(state: State, a: AccountNo, b: AccountNo): AccountNo {
  const path = new Set<AccountNo>();
  for (let at = a; at !== noAccount; at = accountOf(state, at).parent) path.add(at);
  for (let at = b; at !== noAccount; at = accountOf(state, at).parent) if (path.has(at)) return at;
  return rootAccount;
}

/** How many seats a tenant has on a node after this one. */
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

/** What nobody holds of a node's GPUs, nor has kept. */
export function restOf({ fleet }: State, no: NodeNo): Held {
  const rest = nothingHeld();
  const node = fleet.nodes[no];
  if (node === undefined) return rest;
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
    if (fleet.gpuHeldFor[gpu] !== 0) continue;
    addGpus(rest, fleet.gpuModel[gpu]!, fleet.gpuFree[gpu]!, fleet.gpuFreeMemory[gpu]!);
  }
  return rest;
}

/** Charges the rest of a dedicated node (`sign` 1) or takes it back (-1). */
function chargeRest(state: State, node: NodeNo, sign: 1 | -1): void {
  const charged = state.dedicated.get(node);
  if (charged === undefined) return;
  const rest = restOf(state, node);
  for (let at = charged; at !== noAccount; at = accountOf(state, at).parent) {
    noteHistory(state, at);
    addGpusOf(state.usage[at]!, rest, sign);
    state.waiting.heldChanged(at);
  }
  state.waiting.listener.classesMayChange(charged);
}
