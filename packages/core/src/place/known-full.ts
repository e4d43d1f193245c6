import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { type State, tenantOf } from "../state/state.ts";
import type { Wish } from "../state/wish.ts";

/**
 * Whether it is known that no free seats hold a wish of an account: none did, and no node that has changed since holds
 * even one member. Most who wait are told so without a search.
 */
export function isKnownFull(state: State, wish: Wish, spec: JobSpec, account: AccountNo): boolean {
  const { shape } = wish;
  const { count } = state.fleet.changes;
  if (shape.fullAt >= 0) {
    shape.fullAt = isStillFull(state, wish, spec, shape.fullAt) ? count : -1;
    if (shape.fullAt >= 0) return true;
  }
  if (shape.fullFor.size === 0) return false;
  const tenant = tenantOf(state, account).no;
  const fullAt = shape.fullFor.get(tenant);
  if (fullAt === undefined) return false;
  if (isStillFull(state, wish, spec, fullAt)) shape.fullFor.set(tenant, count);
  else shape.fullFor.delete(tenant);
  return shape.fullFor.has(tenant);
}

function isStillFull({ fleet }: State, { options }: Wish, spec: JobSpec, fullAt: number): boolean {
  const { count, recent } = fleet.changes;
  if (count - fullAt > recent.length) return false;
  for (let change = fullAt; change < count; change++) {
    const node = fleet.nodes[recent[change % recent.length]!];
    if (node !== undefined && mayHoldOne(fleet, node, options, spec)) return false;
  }
  return true;
}

/** To be called when no free seats hold a wish without regard to plans: for anyone, or for one account's tenant. */
export function noteFull(state: State, { shape }: Wish, account: AccountNo | undefined): void {
  const { count } = state.fleet.changes;
  if (account === undefined) shape.fullAt = count;
  else shape.fullFor.set(tenantOf(state, account).no, count);
}

/** It may say yes in vain, but never no where a member would find a seat. */
function mayHoldOne(
  fleet: State["fleet"],
  node: FleetNode,
  options: Wish["options"],
  { gpus, cpusMilli, memoryMiB }: JobSpec,
): boolean {
  if (node.mode !== "up" || node.freeCpusMilli < cpusMilli || node.freeMemoryMiB < memoryMiB) return false;
  for (const { choice } of options) {
    const { count, part } = gpus[choice]!;
    if (part === undefined) {
      if (fleet.nodeFreeGpus[node.no]! >= count) return true;
    } else if (hasPart(fleet, node, part.compute, part.memory)) return true;
  }
  return false;
}

function hasPart(fleet: State["fleet"], { firstGpu, facts }: FleetNode, compute: number, memory: number): boolean {
  for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
    if (fleet.gpuHeldFor[gpu] === 0 && fleet.gpuFree[gpu]! >= compute && fleet.gpuFreeMemory[gpu]! >= memory)
      return true;
  }
  return false;
}
