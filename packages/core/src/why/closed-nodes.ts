import { membersThatFit } from "../fleet/fit.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { modelsFor } from "../quota/demand.ts";
import { needFor } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** Nodes that an operator closed, with room for members of a waiting job: opening them would help it. The most room first. */
export function closedNodesFor(state: ReadonlyState, job: Job, most: number): FleetNode[] {
  const { min } = job.spec.members;
  const found: { node: FleetNode; members: number }[] = [];
  for (const node of state.fleet.nodes) {
    if (node?.mode !== "cordoned" && node?.mode !== "draining") continue;
    let members = 0;
    for (let choice = 0; choice < job.spec.gpus.length; choice++) {
      for (const model of modelsFor(state, job, choice)) {
        const need = needFor(state, job, choice, model);
        members = Math.max(members, membersThatFit(state.fleet, node, need, "every-node-now", min));
      }
    }
    if (members > 0) found.push({ node, members });
  }
  return found
    .sort((a, b) => b.members - a.members)
    .slice(0, most)
    .map(({ node }) => node);
}
