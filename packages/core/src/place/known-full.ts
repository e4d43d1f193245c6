import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { tenantOf } from "../quota/accounts.ts";
import type { State } from "../state/state.ts";
import type { Wish } from "../state/wish.ts";

/**
 * Whether it is known that no free seats hold a wish of an account: none did, and no node that has changed since holds
 * even one member. Most who wait are told so without a search.
 */
export function isKnownFull(state: State, wish: Wish, spec: JobSpec, account: AccountNo): boolean {
  const { shape } = wish;
  const { count } = state.fleet.changes;
  shape.fullAt = fullUpTo(state, wish, spec, shape.fullAt);
  if (shape.fullAt === count) return true;
  if (shape.fullFor.size === 0) return false;
  const tenant = tenantOf(state, account).no;
  const fullAt = fullUpTo(state, wish, spec, shape.fullFor.get(tenant) ?? -1);
  if (fullAt < 0) shape.fullFor.delete(tenant);
  else shape.fullFor.set(tenant, fullAt);
  return fullAt === count;
}

/**
 * The change up to which no free seats are known to hold a wish, from one up to which that was known; -1 = nobody knows.
 * Where a node might hold a member now, it goes no further: soon somebody may have taken what is free there.
 */
function fullUpTo({ fleet }: State, { options }: Wish, spec: JobSpec, fullAt: number): number {
  const { count, recent } = fleet.changes;
  if (fullAt < 0 || count - fullAt > recent.length) return -1;
  for (let change = fullAt; change < count; change++) {
    const node = fleet.nodes[recent[change % recent.length]!];
    if (node !== undefined && mayHoldOne(fleet, node, options, spec)) return change;
  }
  return count;
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
