import {
  closedNodesFor,
  type Job,
  nodeName,
  type ReadonlyState,
  type Reason,
  rootAccount,
  type User,
} from "@tessera/core";
import type { Remedy } from "@tessera/wire";
import { may, mayWriteAccount } from "../../access/policy.ts";

const nodesMax = 3;

/** What this user may do, other than changing the job, so that it waits no longer for this reason. */
export function remediesOf(state: ReadonlyState, user: User, job: Job, reason: Reason): Remedy[] {
  switch (reason.kind) {
    case "held": {
      const mayRelease = may(state, user, "job.control", job.account, job.user === user.id);
      return mayRelease ? [{ act: "release", target: job.id, text: "Release it: it competes again." }] : [];
    }
    case "health":
      return may(state, user, "node.write", rootAccount) ? openNodes(state, job) : [];
    case "budget":
      return moreMoney(state, user, reason.values);
    case "quota":
      return moreQuota(state, user, reason.account);
    default:
      return [];
  }
}

function openNodes(state: ReadonlyState, job: Job): Remedy[] {
  return closedNodesFor(state, job, nodesMax).map((node) => {
    const target = nodeName(state.fleet, node);
    const reason = node.reason === "" ? "" : ` (${node.reason})`;
    return { act: "up", target, text: `Let ${target} take work again; it is ${node.mode}${reason}.` };
  });
}

function moreMoney(
  state: ReadonlyState,
  user: User,
  { account: target, of }: Extract<Reason, { kind: "budget" }>["values"],
): Remedy[] {
  const account = state.accountByPath.get(target);
  if (account === undefined) return [];
  if (of === "budget")
    return may(state, user, "budget.write", account.no)
      ? [{ act: "budget", target, text: `Raise the budget of ${target}.` }]
      : [];
  return may(state, user, "bill.write", account.no)
    ? [{ act: "credit", target, text: `Raise the credit limit of ${target}, or note its payment.` }]
    : [];
}

/** Only where the limit or the guarantee of one account decides: GPUs that their owners do not lend belong to others. */
function moreQuota(state: ReadonlyState, user: User, target: string | undefined): Remedy[] {
  const account = target === undefined ? undefined : state.accountByPath.get(target);
  if (target === undefined || account === undefined || !mayWriteAccount(state, user, account)) return [];
  return [{ act: "quota", target, text: `Raise the quota of ${target}; the effect is shown first.` }];
}
