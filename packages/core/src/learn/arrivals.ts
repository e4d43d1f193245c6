import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import { chancesOf, type Largest } from "./worth/chances.ts";
import { FleetWorth, type Weighed } from "./worth/fleet-worth.ts";
import { Mix, type MixRecord } from "./worth/mix.ts";
import type { ArrivalShape, NodeRoom } from "./worth/shape.ts";

/** Arrivals before the first valuation, and the least between two. */
const arrivalsFirst = 32;
/** A valuation follows when the arrivals have doubled, and at the latest after this many more. */
const arrivalsBetweenMax = 4_096;
/** The most members of one submission that count, so that a single large array does not dominate the mix. */
const membersMax = 64;
/** The most nodes that are valued; of a larger fleet an even sample is taken. */
const nodesMax = 512;

/** What was learned, as stored in a snapshot. */
export interface ArrivalsImage {
  readonly mix: MixRecord;
  readonly count: number;
  readonly nextAt: number;
  readonly worth?: { readonly weighed: readonly Weighed[]; readonly models: number };
}

/**
 * Submissions counted by shape, and the worth of free room that follows from them [P4]. It changes with submissions only,
 * and valuations happen at fixed counts, so that every replay has the same worth at the same event.
 */
export class Arrivals {
  #mix = new Mix();
  #worth: FleetWorth | undefined;
  #count = 0;
  #nextAt = arrivalsFirst;

  /** The worth of free room; undefined while there are too few arrivals. */
  get worth(): FleetWorth | undefined {
    return this.#worth;
  }

  note(fleet: ReadonlyFleet, shape: ArrivalShape, members: number): void {
    for (let i = 0; i < Math.min(members, membersMax); i++) this.#mix.add(shape);
    this.#count += Math.min(members, membersMax);
    if (this.#count < this.#nextAt) return;
    const more = Math.max(arrivalsFirst, this.#count);
    this.#nextAt = this.#count + Math.min(more, arrivalsBetweenMax);
    this.#worth = worthOn(fleet, this.#mix);
  }

  image(): ArrivalsImage | undefined {
    if (this.#count === 0) return undefined;
    const { weighed, models } = this.#worth ?? {};
    return {
      mix: this.#mix.record(),
      count: this.#count,
      nextAt: this.#nextAt,
      ...(weighed !== undefined && { worth: { weighed, models: models! } }),
    };
  }

  restore({ mix, count, nextAt, worth }: ArrivalsImage): void {
    this.#mix = Mix.from(mix);
    this.#count = count;
    this.#nextAt = nextAt;
    this.#worth = worth && new FleetWorth(worth.weighed, worth.models);
  }
}

/** What one member of a job needs of a node, by its first alternative. `models` are the numbers of acceptable models. */
export function arrivalShapeOf(
  { gpus, cpusMilli }: Pick<JobSpec, "gpus" | "cpusMilli">,
  models: readonly number[],
): ArrivalShape {
  const { count, unitsEach, model, part } = gpus[0]!;
  return {
    cpusMilli,
    gpus: count,
    // Compute that depends on the device counts like the memory; if that is unknown too, as a whole GPU.
    unitsEach: unitsEach || part?.compute || part?.memory || unitsPerGpu,
    models: model === "*" || count === 0 ? [] : models.length === 0 ? [noModel] : models,
  };
}

/** Stands for a model that the fleet does not have. */
const noModel = -1;

/** The free room of a node; GPUs held for a job count as taken. Returns `before` if it is equal, to share one object. */
function roomOf(fleet: ReadonlyFleet, node: FleetNode, before: NodeRoom | undefined): NodeRoom {
  const model = fleet.soleModel(node);
  const freeUnits: number[] = [];
  const end = node.firstGpu + node.facts.gpus.length;
  for (let gpu = node.firstGpu as number; gpu < end; gpu++) {
    const free = fleet.gpuHeldFor[gpu] === 0 ? fleet.gpuFree[gpu]! : 0;
    let place = freeUnits.length;
    while (place > 0 && freeUnits[place - 1]! > free) place--;
    if (place === freeUnits.length) freeUnits.push(free);
    else freeUnits.splice(place, 0, free);
  }
  const room: NodeRoom = { model, cpusMilli: node.freeCpusMilli, freeUnits };
  return before !== undefined && isSameRoom(room, before) ? before : room;
}

function isSameRoom(a: NodeRoom, b: NodeRoom): boolean {
  if (a.model !== b.model || a.cpusMilli !== b.cpusMilli || a.freeUnits.length !== b.freeUnits.length) return false;
  for (let i = 0; i < a.freeUnits.length; i++) if (a.freeUnits[i] !== b.freeUnits[i]) return false;
  return true;
}

function worthOn(fleet: ReadonlyFleet, mix: Mix): FleetWorth | undefined {
  const rooms: [NodeRoom, number][] = [];
  const largest = { gpus: 0, nodes: 0, cpusMilli: 0 };
  let units = 0;
  let freeUnits = 0;
  const stride = Math.ceil(fleet.nodes.length / nodesMax);
  for (let no = 0; no < fleet.nodes.length; no += stride) {
    const node = fleet.nodes[no];
    if (node === undefined || node.mode !== "up" || fleet.soleModel(node) < 0) continue;
    const room = roomOf(fleet, node, rooms.at(-1)?.[0]);
    rooms.push([room, 1]);
    const gpus = room.freeUnits.length;
    units += gpus * unitsPerGpu;
    for (const free of room.freeUnits) freeUnits += free;
    if (gpus > largest.gpus) Object.assign(largest, { gpus, nodes: 0, cpusMilli: 0 });
    if (gpus < largest.gpus) continue;
    largest.nodes++;
    largest.cpusMilli += node.facts.cpusMilli;
  }
  if (units === 0) return undefined;
  const { gpus, nodes, cpusMilli } = largest;
  const like: Largest = { gpus, cpusMilliPerGpu: Math.floor(cpusMilli / (gpus * nodes)) };
  return FleetWorth.weigh(chancesOf(mix, like, 1 - freeUnits / units), fleet.models.length, rooms, "waits");
}
