import type { Event, Seat } from "../../journal/event.ts";
import type { GpuNo, JobNo, NodeNo } from "../../model/ids.ts";
import type { Instant } from "../../model/units.ts";
import type { ReadonlyState } from "../readonly-state.ts";
import type { State } from "../state.ts";

/** Nodes whose remainder an event may change; a change of trust is not among these events. */
export function nodesTouched(state: ReadonlyState, event: Event): readonly NodeNo[] {
  switch (event.kind) {
    case "job-placed":
    case "job-claimed":
    case "job-grown": {
      const nodes = event.seats.map(nodeOf);
      for (const { node } of claimed(state, event.job)) nodes.push(node);
      return nodes;
    }
    case "claim-dropped":
    case "job-ended":
      return claimed(state, event.job).map(nodeOf);
    case "lease-ended":
      return [state.leases.get(event.lease)!.node];
    case "node-changed":
    case "node-removed":
      return [event.node];
    default:
      return none;
  }
}

const none: readonly never[] = [];

function nodeOf({ node }: Seat): NodeNo {
  return node;
}

function claimed(state: ReadonlyState, job: JobNo): readonly Seat[] {
  return state.jobs.get(job)?.claim?.seats ?? none;
}

/** Notes the remainder of a node after an event. */
export function noteRemainder(state: State, no: NodeNo, at: Instant): void {
  const { fleet, rest } = state;
  const node = fleet.nodes[no];
  if (node === undefined) {
    for (const gpu of [...rest.keys()]) if (fleet.gpuNode[gpu] === no) rest.delete(gpu);
    return;
  }
  const account = node.mode === "down" || node.mode === "maintenance" ? undefined : state.dedicated.get(no);
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
    const units = fleet.gpuHeldFor[gpu] === 0 ? fleet.gpuFree[gpu]! : 0;
    const before = rest.get(gpu as GpuNo);
    if (account === undefined || units === 0) rest.delete(gpu as GpuNo);
    else if (before?.account !== account || before.units !== units)
      rest.set(gpu as GpuNo, { account, units, since: Math.max(at, before?.since ?? at) });
  }
}

/** Notes the remainder of all nodes that a change of trust may concern. */
export function noteAllRemainders(state: State, at: Instant): void {
  const nodes = new Set<NodeNo>(state.dedicated.keys());
  for (const gpu of state.rest.keys()) nodes.add(state.fleet.gpuNode[gpu] as NodeNo);
  for (const no of nodes) noteRemainder(state, no, at);
}
