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
import { may } from "../../access/policy.ts";

const nodesMax = 3;

/** What this user may do, other than changing the job, so that it waits no longer for this reason. */
export function remediesOf(state: ReadonlyState, user: User, job: Job, { kind }: Reason): Remedy[] {
  if (kind === "held") {
    const mayRelease = may(state, user, "job.control", job.account, job.user === user.id);
    return mayRelease ? [{ act: "release", target: job.id, text: "Release it: it competes again." }] : [];
  }
  if (kind !== "health" || !may(state, user, "node.write", rootAccount)) return [];
  return closedNodesFor(state, job, nodesMax).map((node) => {
    const target = nodeName(state.fleet, node);
    const reason = node.reason === "" ? "" : ` (${node.reason})`;
    return { act: "up", target, text: `Let ${target} take work again; it is ${node.mode}${reason}.` };
  });
}
