import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { tenantOf } from "../quota/accounts.ts";
import type { SeatShape, Wish } from "../state/indexes/wish.ts";
import { nodesAmong } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** Wishes that are known to find no free seats. A search for seats reads it first and notes in it what it found. */
export interface FullMarks {
  /** Whether it is certain that no free seats hold a wish of an account. */
  isFull(state: ReadonlyState, wish: Wish, spec: JobSpec, account: AccountNo): boolean;
  /** No free seats hold a wish, plans aside: for any account, or for the neighbours of this one. */
  noteFull(state: ReadonlyState, wish: Wish, account: AccountNo | undefined): void;
}

/** For queries, which change nothing. */
export const noMarks: FullMarks = { isFull: () => false, noteFull: () => {} };

interface Mark {
  /** The change of the fleet up to which no free seats are known to hold the shape; -1 = there may be some. */
  fullAt: number;
  /** The same by `sideOf` an account, where other tenants or pools are in the way. */
  readonly fullFor: Map<AccountNo, number>;
}

/** Beyond this many marks all are dropped: they only save time. */
const marksMax = 65_536;

/**
 * Remembers up to which change of the fleet a shape found no seats. While no node that changed since holds even one
 * member, it still finds none. Saves a search of the fleet for most waiting jobs.
 */
export class KnownFull implements FullMarks {
  readonly #marks = new Map<SeatShape, Mark>();

  isFull(state: ReadonlyState, wish: Wish, spec: JobSpec, account: AccountNo): boolean {
    const mark = this.#marks.size === 0 ? undefined : this.#marks.get(wish.shape);
    if (mark === undefined) return false;
    const { count } = state.fleet.changes;
    // What is closed to this account may be open to another.
    const anyone = state.nodePools.limited.length > 0 ? undefined : account;
    mark.fullAt = fullUpTo(state, wish, spec, anyone, mark.fullAt);
    if (mark.fullAt === count) return true;
    if (mark.fullFor.size === 0) return false;
    const side = sideOf(state, account);
    const fullAt = fullUpTo(state, wish, spec, account, mark.fullFor.get(side) ?? -1);
    if (fullAt < 0) mark.fullFor.delete(side);
    else mark.fullFor.set(side, fullAt);
    return fullAt === count;
  }

  noteFull(state: ReadonlyState, { shape }: Wish, account: AccountNo | undefined): void {
    const { count } = state.fleet.changes;
    const mark = this.#markOf(shape);
    if (account === undefined) mark.fullAt = count;
    else mark.fullFor.set(sideOf(state, account), count);
  }

  /** Which tenants may share a GPU changed. */
  neighboursChanged(): void {
    for (const { fullFor } of this.#marks.values()) fullFor.clear();
  }

  #markOf(shape: SeatShape): Mark {
    let mark = this.#marks.get(shape);
    if (mark === undefined) {
      if (this.#marks.size >= marksMax) this.#marks.clear();
      mark = { fullAt: -1, fullFor: new Map() };
      this.#marks.set(shape, mark);
    }
    return mark;
  }
}

/** Pools are open to accounts, neighbours to tenants. */
function sideOf(state: ReadonlyState, account: AccountNo): AccountNo {
  return state.nodePools.limited.length > 0 ? account : tenantOf(state, account).no;
}

/**
 * Advances `fullAt`, the change up to which no free seats are known to hold a wish; -1 = unknown. It stops at a node that
 * might hold a member now: by the next call the free room there may be taken.
 */
function fullUpTo(
  state: ReadonlyState,
  { options }: Wish,
  spec: JobSpec,
  account: AccountNo | undefined,
  fullAt: number,
): number {
  const { fleet } = state;
  const { count, recent } = fleet.changes;
  if (fullAt < 0 || count - fullAt > recent.length) return -1;
  for (let change = fullAt; change < count; change++) {
    const node = fleet.nodes[recent[change % recent.length]!];
    if (node === undefined || !mayHoldOne(fleet, node, options, spec)) continue;
    if (account === undefined || nodesAmong(state, account, spec)?.has(node) !== false) return change;
  }
  return count;
}

/** May say yes in error, but never no. */
function mayHoldOne(
  fleet: ReadonlyFleet,
  node: FleetNode,
  options: Wish["options"],
  { gpus, cpusMilli, memoryMiB }: JobSpec,
): boolean {
  if (node.mode !== "up" || node.freeCpusMilli < cpusMilli || node.freeMemoryMiB < memoryMiB) return false;
  for (const { choice, model } of options) {
    const { count, part } = gpus[choice]!;
    if (part === undefined) {
      if (fleet.nodeFreeGpus[node.no]! >= count) return true;
    } else if (hasPart(fleet, node, fleet.leastOf(part.compute, model), fleet.leastOf(part.memory, model))) return true;
  }
  return false;
}

function hasPart(fleet: ReadonlyFleet, { firstGpu, facts }: FleetNode, compute: number, memory: number): boolean {
  for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
    if (fleet.gpuHeldFor[gpu] === 0 && fleet.gpuFree[gpu]! >= compute && fleet.gpuFreeMemory[gpu]! >= memory)
      return true;
  }
  return false;
}
