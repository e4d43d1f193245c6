import type { BesidePlans, MemberAsk, MemberNeed } from "../fleet/fit.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { SharedGroup } from "../fleet/shared-gpus.ts";
import { isAlikeFor } from "../gpu/alike.ts";
import { mixes } from "../gpu/latency.ts";
import { type Newcomer, type NoSeat, type Occupant, type PartAsk, seatPart } from "../gpu/seat.ts";
import type { Seat } from "../journal/event.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { GpuAsk, JobSpec, Members } from "../model/job.ts";
import type { PoolMode } from "../model/part.ts";
import { unitsPerGpu } from "../model/units.ts";

/**
 * A part of a GPU for each member, or the best reason why not. With a topology, all members go to one domain: the first
 * in which all find room. Where the topology is only preferred, they may then go anywhere [P2].
 */
export function findParts(
  fleet: ReadonlyFleet,
  need: MemberNeed,
  spec: Pick<JobSpec, "members" | "topology" | "isolation">,
  ask: GpuAsk,
  who: Newcomer,
  plans?: BesidePlans,
): Seat[] | NoSeat {
  const search = { fleet, need, ask: { ...ask.part!, isolation: spec.isolation }, who, plans };
  const { members, topology } = spec;
  if (topology === undefined || members.min === 1) return seatAll(search, members, () => true);
  const domainOf = (no: number) => fleet.topology.domainOf(no as NodeNo, topology.level);
  const tooSmall = new Set<unknown>();
  for (;;) {
    const first = onePart(search, new Map(), (no) => !tooSmall.has(domainOf(no)));
    if (typeof first === "string") return topology.required ? first : seatAll(search, members, () => true);
    const domain = domainOf(first.node);
    const seats = seatAll(search, members, (no) => domainOf(no) === domain);
    if (typeof seats === "object") return seats;
    tooSmall.add(domain);
  }
}

/** A search for parts, the same for all members. */
interface PartSearch {
  readonly fleet: ReadonlyFleet;
  readonly need: MemberNeed;
  readonly ask: PartAsk;
  readonly who: Newcomer;
  readonly plans: BesidePlans | undefined;
}

function seatAll(search: PartSearch, { min, apart }: Members, within: (node: number) => boolean): Seat[] | NoSeat {
  const seats: Seat[] = [];
  const added = new Map<number, Occupant[]>();
  const used = new Set<number>();
  for (let i = 0; i < min; i++) {
    const seat = onePart(search, added, (no) => within(no) && !(apart && used.has(no)));
    if (typeof seat === "string") return seat;
    seats.push(seat);
    used.add(seat.node);
    const gpu = seat.gpus[0]!;
    added.set(gpu, [...(added.get(gpu) ?? []), { ...search.who, ...seat.part! }]);
  }
  return seats;
}

const better: Readonly<Record<NoSeat, number>> = {
  reserved: 4,
  latency: 3,
  isolation: 2,
  "no-room": 1,
  never: 0,
};

/**
 * A part of a shared GPU with just enough left, first where the neighbours do the same kind of work [P5]; else of the
 * first free GPU of the fullest node.
 */
function onePart(
  { fleet, need, ask, who, plans }: PartSearch,
  added: ReadonlyMap<number, readonly Occupant[]>,
  usable: (node: number) => boolean,
): Seat | NoSeat {
  let why: NoSeat = "never";
  const tryGpu = (gpu: number): Seat | undefined => {
    const node = fleet.nodes[fleet.gpuNode[gpu]!];
    if (node === undefined || node.mode !== "up" || fleet.gpuHeldFor[gpu] !== 0 || !usable(node.no)) return undefined;
    if (need.among !== undefined && !need.among.has(node)) return undefined;
    if (need.mayUse !== undefined && !need.mayUse(node)) {
      if (better.isolation > better[why]) why = "isolation";
      return undefined;
    }
    if (node.freeCpusMilli < need.cpusMilli || node.freeMemoryMiB < need.memoryMiB) return undefined;
    if (plans !== undefined && plans.mayTake(node, besideOf(need, fleet.isFree(gpu)), 1) === 0) return undefined;
    const occupants = [...fleet.occupants(gpu), ...(added.get(gpu) ?? [])];
    const part = seatPart(fleet.device(gpu), occupants, who, ask);
    if (typeof part === "object") {
      if (plans?.mayJoin(node, gpu as GpuNo, part) === false) return undefined;
      return { node: node.no as NodeNo, gpus: [gpu as GpuNo], part };
    }
    if (better[part] > better[why]) why = part;
    return undefined;
  };
  const { cpusMilli, memoryMiB } = need;
  /** The first seat in a group on a GPU below `end`. */
  const tryGroup = ({ device, occupants, gpus }: SharedGroup, end: number): Seat | undefined => {
    const answer = seatPart(device, occupants, who, ask);
    const isFinal = typeof answer === "string" && (answer !== "isolation" || isAlikeFor(who, occupants));
    for (let gpu = gpus.next(0, cpusMilli, memoryMiB); gpu >= 0; gpu = gpus.next(gpu + 1, cpusMilli, memoryMiB)) {
      if (gpu >= end || (isFinal && better[answer] <= better[why])) return undefined;
      const seat = added.has(gpu) ? undefined : tryGpu(gpu);
      if (seat !== undefined) return seat;
    }
    return undefined;
  };
  for (const gpu of added.keys()) {
    const seat = tryGpu(gpu);
    if (seat !== undefined) return seat;
  }
  const freeMin = Math.floor(fleet.leastOf(ask.compute, need.model) / 1_000);
  let passedOver = false;
  /** On the shared GPU with the least left, among those where kinds of work mix, or those where they do not. */
  const tryShared = (mixed: boolean): Seat | undefined => {
    for (let free = freeMin; free <= unitsPerGpu / 1_000; free++) {
      let lowest: Seat | undefined;
      for (const group of fleet.shared.groupsWith(need.model, free)) {
        if (mixes(group.occupants[0]!.mode, who, group.occupants) === mixed)
          lowest = tryGroup(group, lowest?.gpus[0] ?? fleet.gpus) ?? lowest;
        else passedOver ||= group.gpus.next(0, cpusMilli, memoryMiB) >= 0;
      }
      if (lowest !== undefined) return lowest;
    }
    return undefined;
  };
  const tryFresh = (isWanted: (pool: PoolMode) => boolean): Seat | undefined => {
    for (let free = 1; free <= fleet.freeMax(need.model); free++) {
      const nodes = fleet.nodesWith(need.model, free);
      if (nodes === undefined) continue;
      for (let no = nodes.next(0, cpusMilli, memoryMiB); no >= 0; no = nodes.next(no + 1, cpusMilli, memoryMiB)) {
        if (!isWanted(fleet.nodes[no]!.sharing.mode)) continue;
        const gpu = freshGpu(fleet, no, added, plans, need.isClean);
        const seat = gpu === undefined ? undefined : tryGpu(gpu);
        if (seat !== undefined) return seat;
      }
    }
    return undefined;
  };
  const apart = tryShared(false) ?? (passedOver ? (tryFresh(isForSharing) ?? tryShared(true)) : undefined);
  const found = apart ?? tryFresh(() => true);
  if (found !== undefined) return found;
  const { mayUse } = need;
  if (mayUse === undefined || better[why] >= better.isolation) return why;
  const isKept = (gpu: number) => {
    const node = fleet.node(fleet.gpuNode[gpu]! as NodeNo);
    return usable(node.no) && need.among?.has(node) !== false && !mayUse(node);
  };
  return anyGpu(fleet, need.model, freeMin, added, isKept) ? "isolation" : why;
}

const oneGpu: MemberAsk = { gpus: 1, cpusMilli: 0, memoryMiB: 0 };

/** What a part takes of a node: a GPU only where it opens one. */
function besideOf({ cpusMilli, memoryMiB }: MemberNeed, opens: boolean): MemberAsk {
  return { gpus: opens ? 1 : 0, cpusMilli, memoryMiB };
}

/** Pools whose GPUs are always shared; in a pool of any mode a free GPU is worth more whole. */
function isForSharing(pool: PoolMode): boolean {
  return pool === "mps" || pool === "timeslice";
}

/** Whether `holds` is true of any GPU that would be searched if cores and memory did not count. */
function anyGpu(
  fleet: ReadonlyFleet,
  model: number,
  freeMin: number,
  added: ReadonlyMap<number, unknown>,
  holds: (gpu: number) => boolean,
): boolean {
  for (let free = freeMin; free <= unitsPerGpu / 1_000; free++)
    for (const { gpus } of fleet.shared.groupsWith(model, free))
      for (let gpu = gpus.next(0); gpu >= 0; gpu = gpus.next(gpu + 1)) if (holds(gpu)) return true;
  for (let free = 1; free <= fleet.freeMax(model); free++) {
    const nodes = fleet.nodesWith(model, free);
    for (let no = nodes?.next(0) ?? -1; no >= 0; no = nodes!.next(no + 1)) {
      const gpu = freshGpu(fleet, no, added);
      if (gpu !== undefined && holds(gpu)) return true;
    }
  }
  return false;
}

/** The first unused GPU of a node, one that needs no scrub before others; none where plans count on all that are left. */
function freshGpu(
  fleet: ReadonlyFleet,
  no: number,
  added: ReadonlyMap<number, unknown>,
  plans?: BesidePlans,
  isClean?: (gpu: number) => boolean,
): number | undefined {
  const node = fleet.nodes[no]!;
  const end = node.firstGpu + node.facts.gpus.length;
  let opened = 0;
  let fresh: number | undefined;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++) {
    if (!fleet.isFree(gpu)) continue;
    if (added.has(gpu)) opened++;
    else if (fresh === undefined || (isClean?.(gpu) === true && !isClean(fresh))) fresh = gpu;
  }
  if (plans === undefined || fresh === undefined) return fresh;
  return plans.mayTake(node, oneGpu, opened + 1) > opened ? fresh : undefined;
}
