import type { Going, MayUse } from "../fleet/fit.ts";
import { nodesThatLast } from "../fleet/maintenance.ts";
import type { Account } from "../model/account.ts";
import type { AccountNo, NodeNo } from "../model/ids.ts";
import type { FleetNode } from "../model/node.ts";
import { accountOf, tenantOf } from "../quota/accounts.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { nodesOfOthers, type SeatSeeker } from "./apart.ts";

/** Whether the tenant of an account is confidential: it has nodes to itself [U3]. */
export function isConfidential(state: ReadonlyState, account: AccountNo): boolean {
  return state.confidential > 0 && tenantOf(state, account).terms.trust === "confidential";
}

/** Which nodes a job may use now, for the sake of other tenants, maintenance and jobs to keep apart; undefined = all. */
export function nodesFor(state: ReadonlyState, job: SeatSeeker): MayUse | undefined {
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

/** Keeps a confidential tenant and all others on different nodes [U3]; undefined where no tenant is confidential. */
export function keptApart(state: ReadonlyState, account: AccountNo): MayUse | undefined {
  return state.confidential === 0 ? undefined : awayFrom(state, tenantOf(state, account));
}

function awayFrom(state: ReadonlyState, { no: own }: Account): MayUse {
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

/** Seats of a node that stopping jobs are leaving. */
export function* leavingOn(state: ReadonlyState, node: NodeNo): Generator<Going> {
  for (const lease of state.fleet.leasesOn(node)) {
    const { account, state: run } = jobOf(state, lease.job);
    if (run === "stopping" || lease.state === "stopping") yield { account, node };
  }
}

/** Whether two accounts belong to different tenants of which one is confidential. */
export function shareNoNode(state: ReadonlyState, one: AccountNo, other: AccountNo): boolean {
  if (state.confidential === 0) return false;
  const [a, b] = [tenantOf(state, one), tenantOf(state, other)];
  return a !== b && (a.terms.trust === "confidential" || b.terms.trust === "confidential");
}

/** The nodes that the tenant of an account has to itself. */
export function* ownNodes(state: ReadonlyState, account: AccountNo): Generator<FleetNode> {
  const { tenant } = accountOf(state, account);
  for (const [no, charged] of state.dedicated) {
    const node = state.fleet.nodes[no];
    if (node !== undefined && accountOf(state, charged).tenant === tenant) yield node;
  }
}
