import { unitsPerGpu } from "../../model/units.ts";
import type { Chance } from "./chances.ts";
import { deviceWorth, type Likely, stepsIn } from "./device-worth.ts";
import type { ArrivalShape, NodeRoom } from "./shape.ts";

/** The largest factor by which a shape weighs more because little of the fleet can host it. */
const scarcityMax = 150;
/**
 * Gangs inside one node compete with the single GPUs that their node could host. Where work that does not fit is dropped,
 * less than half of their weight did best; where it waits, room must be made for it, at the cost of other jobs.
 */
const gangWeight = { dropped: 0.4, waits: 3 } as const;
/** Work without GPUs needs its cores on one node too, but no GPU stays idle if it finds none. */
const noGpuWeight = 0.25;
/** The share of arrivals bound to some models from which on the room on these counts in full, where work is dropped. */
const boundShare = 1 / 3;
/** Costs that differ by less than this are equal; the order of nodes then packs. */
const unitsPerPoint = unitsPerGpu / 50;

/** What happens to work that finds no room. */
export type Unplaced = keyof typeof gangWeight;

/** The different rooms of a fleet's nodes, each with the number of nodes that have it. */
export type RoomCounts = Iterable<readonly [NodeRoom, number]>;

/** The shapes that may use one model, as columns. */
interface Column {
  readonly cpusMilli: Float64Array;
  readonly gpus: Int32Array;
  readonly unitsPerCpuMilli: Float64Array;
  readonly weight: Float64Array;
  /** Of shapes without GPUs: the cores of each, and the worth of a thousandth of a core. */
  readonly noGpuCpusMilli: Float64Array;
  readonly noGpuWeight: Float64Array;
}

/** What a placement costs and, for a part of a GPU, the free units of the GPU to take. */
export interface PlacementCost {
  readonly points: number;
  readonly freeUnits: number;
}

/** A shape with its chance and the worth of room for it; whole numbers, so that it can be stored. */
export interface Weighed {
  readonly shape: ArrivalShape;
  readonly chancePpb: number;
  readonly weightMicros: number;
}

const ppb = 1e9;
const micros = 1e6;

/**
 * The worth of the free room of nodes: how much of the likely arrivals the fleet can still host, with scarce room
 * counting most. It is linearised from a sum over shapes of chance × log of room, so that the cost of a placement is the
 * difference of two values of one node.
 */
export class FleetWorth {
  readonly weighed: readonly Weighed[];
  readonly models: number;
  readonly #devices: readonly Float64Array[];
  readonly #columns: readonly Column[];

  constructor(weighed: readonly Weighed[], models: number, devices = devicesFor(weighed, models)) {
    this.weighed = weighed;
    this.models = models;
    this.#devices = devices;
    this.#columns = byModel(weighed, models).map(columnOf);
  }

  /** The worth on a fleet with these rooms, where work that does not fit is dropped or waits. */
  static weigh(chances: readonly Chance[], models: number, rooms: RoomCounts, unplaced: Unplaced): FleetWorth {
    const likely = chances.map(({ shape, chance }) => ({ shape, chancePpb: Math.round(chance * ppb) }));
    const devices = devicesFor(likely, models);
    const weights = weightsOn(chances, rooms, devices, unplaced);
    const weighed = likely.map((each, at) => ({ ...each, weightMicros: Math.round(weights[at]! * micros) }));
    return new FleetWorth(weighed, models, devices);
  }

  /** The worth lost by a placement, in points; undefined if the shape does not fit. */
  cost(room: NodeRoom, shape: ArrivalShape): PlacementCost | undefined {
    const { gpus, unitsEach } = shape;
    if (!fits(room, shape)) return undefined;
    if (gpus === 0 || unitsEach === unitsPerGpu) return { points: this.costOn(room, shape, unitsPerGpu), freeUnits: 0 };
    let best: PlacementCost | undefined;
    let last = 0;
    for (const freeUnits of room.freeUnits) {
      if (freeUnits < unitsEach || freeUnits === last) continue;
      last = freeUnits;
      const points = this.costOn(room, shape, freeUnits);
      if (best === undefined || points < best.points) best = { points, freeUnits };
    }
    return best;
  }

  /** The same for a shape that is known to fit, on GPUs with `freeUnits` free. */
  costOn(room: NodeRoom, { cpusMilli, gpus, unitsEach }: ArrivalShape, freeUnits: number): number {
    const { model } = room;
    const device = this.#devices[model]!;
    const lost = device[stepsIn(freeUnits)]! - device[stepsIn(freeUnits - unitsEach)]!;
    const opened = freeUnits === unitsPerGpu ? gpus : 0;
    return this.points(model, room.cpusMilli, usedOf(room, device), wholeGpus(room), cpusMilli, gpus * lost, opened);
  }

  /** The expected use of a GPU of the model with `freeUnits` free. */
  usedOf(model: number, freeUnits: number): number {
    return this.#devices[model]![stepsIn(freeUnits)]!;
  }

  /**
   * The points lost when these amounts are taken from a node with these cores, this expected use of its GPUs and this
   * many whole free GPUs.
   */
  points(
    model: number,
    cpusMilli: number,
    used: number,
    whole: number,
    cpusTaken: number,
    usedTaken: number,
    wholeTaken: number,
  ): number {
    const before = this.#value(model, cpusMilli, used, whole);
    const after = this.#value(model, cpusMilli - cpusTaken, used - usedTaken, whole - wholeTaken);
    return Math.ceil((before - after) / unitsPerPoint);
  }

  #value(model: number, cpusMilli: number, used: number, whole: number): number {
    const { cpusMilli: needed, gpus, unitsPerCpuMilli, weight, noGpuCpusMilli, noGpuWeight } = this.#columns[model]!;
    let value = 0;
    for (let at = 0; at < needed.length; at++) {
      if (cpusMilli < needed[at]!) continue;
      const count = gpus[at]!;
      const byGpu = count === 1 ? used : Math.floor(whole / count) * count * unitsPerGpu;
      const byCpu = cpusMilli * unitsPerCpuMilli[at]!;
      value += weight[at]! * (byGpu < byCpu ? byGpu : byCpu);
    }
    for (let at = 0; at < noGpuCpusMilli.length; at++) {
      const each = noGpuCpusMilli[at]!;
      if (cpusMilli >= each) value += noGpuWeight[at]! * Math.floor(cpusMilli / each) * each;
    }
    return value;
  }
}

function mayUse({ models }: ArrivalShape, model: number): boolean {
  return models.length === 0 || models.includes(model);
}

function fits(room: NodeRoom, shape: ArrivalShape): boolean {
  const { cpusMilli, gpus, unitsEach } = shape;
  if (room.cpusMilli < cpusMilli) return false;
  if (gpus === 0) return true;
  return mayUse(shape, room.model) && (unitsEach < unitsPerGpu || wholeGpus(room) >= gpus);
}

function byModel<Item extends { readonly shape: ArrivalShape }>(items: readonly Item[], models: number): Item[][] {
  return Array.from({ length: models }, (_, model) => items.filter(({ shape }) => mayUse(shape, model)));
}

function devicesFor(likely: readonly Likely[], models: number): Float64Array[] {
  return byModel(likely, models).map(deviceWorth);
}

/** The expected use of a node's free units. */
function usedOf({ freeUnits }: NodeRoom, device: Float64Array): number {
  let sum = 0;
  for (const free of freeUnits) sum += device[stepsIn(free)]!;
  return sum;
}

/** The weight of each shape: its chance times its scarcity, which is how little of the fleet can host it. */
function weightsOn(
  chances: readonly Chance[],
  rooms: RoomCounts,
  devices: readonly Float64Array[],
  unplaced: Unplaced,
): number[] {
  const hostable = new Float64Array(chances.length);
  let all = 0;
  let cpusMilli = 0;
  for (const [room, nodes] of rooms) {
    const used = usedOf(room, devices[room.model]!);
    const whole = wholeGpus(room);
    all += nodes * used;
    cpusMilli += nodes * room.cpusMilli;
    chances.forEach(({ shape }, at) => {
      hostable[at]! += nodes * hosted(shape, room, used, whole);
    });
  }
  const bound = unplaced === "waits" ? 1 : boundWeight(chances);
  const weights = chances.map(({ shape, chance }, at) => {
    if (shape.gpus === 0) return 0;
    const scarcity = hostable[at]! > 0 ? Math.min(all / hostable[at]!, scarcityMax) : scarcityMax;
    return chance * scarcity * (shape.gpus > 1 ? gangWeight[unplaced] : shape.models.length > 0 ? bound : 1);
  });
  // Scaled so that the value of the whole fleet is what it can host: points then mean the same on every fleet.
  const value = weights.reduce((sum, weight, at) => sum + weight * hostable[at]!, 0);
  const scale = value > 0 ? (all * sumOf(chances, ({ gpus }) => gpus > 0)) / value : 0;
  return weights.map((weight, at) => {
    const { shape, chance } = chances[at]!;
    if (shape.gpus > 0) return weight * scale;
    const scarcity = hostable[at]! > 0 ? Math.min(cpusMilli / hostable[at]!, scarcityMax) : 0;
    return cpusMilli === 0 ? 0 : (noGpuWeight * chance * all * scarcity) / cpusMilli;
  });
}

/**
 * The weight of arrivals that are bound to some models, where work is dropped. If they are few, other arrivals use the
 * room kept for them anyway, at the expense of gangs; if they are many, nothing else would fill it.
 */
function boundWeight(chances: readonly Chance[]): number {
  const share = sumOf(chances, ({ gpus, models }) => gpus === 1 && models.length > 0);
  return Math.min(1, (share / boundShare) ** 3);
}

function sumOf(chances: readonly Chance[], counts: (shape: ArrivalShape) => boolean): number {
  return chances.reduce((sum, { shape, chance }) => (counts(shape) ? sum + chance : sum), 0);
}

/** How many units of the shape a node could host; for a shape without GPUs, thousandths of a core. */
function hosted(shape: ArrivalShape, room: NodeRoom, used: number, whole: number): number {
  const { cpusMilli, gpus } = shape;
  if (gpus === 0) return cpusMilli === 0 ? 0 : Math.floor(room.cpusMilli / cpusMilli) * cpusMilli;
  if (room.cpusMilli < cpusMilli || !mayUse(shape, room.model)) return 0;
  const byGpu = gpus === 1 ? used : Math.floor(whole / gpus) * gpus * unitsPerGpu;
  return Math.min(byGpu, room.cpusMilli * unitsPerCpu(shape));
}

/** A shape without cores is bounded by GPUs alone. */
function unitsPerCpu({ cpusMilli, gpus, unitsEach }: ArrivalShape): number {
  return cpusMilli === 0 ? Number.MAX_SAFE_INTEGER : (gpus * unitsEach) / cpusMilli;
}

function wholeGpus({ freeUnits }: NodeRoom): number {
  let count = 0;
  for (let at = freeUnits.length - 1; at >= 0 && freeUnits[at] === unitsPerGpu; at--) count++;
  return count;
}

function columnOf(usable: readonly Weighed[]): Column {
  const [withGpus, without] = [usable.filter(({ shape }) => shape.gpus > 0), usable.filter(isNoGpu)];
  const weightOf = ({ weightMicros }: Weighed) => weightMicros / micros;
  return {
    cpusMilli: Float64Array.from(withGpus, ({ shape }) => shape.cpusMilli),
    gpus: Int32Array.from(withGpus, ({ shape }) => shape.gpus),
    unitsPerCpuMilli: Float64Array.from(withGpus, ({ shape }) => unitsPerCpu(shape)),
    weight: Float64Array.from(withGpus, weightOf),
    noGpuCpusMilli: Float64Array.from(without, ({ shape }) => shape.cpusMilli),
    noGpuWeight: Float64Array.from(without, weightOf),
  };
}

/** Work that needs neither GPUs nor cores fits everywhere, so room for it is worth nothing. */
function isNoGpu({ shape, weightMicros }: Weighed): boolean {
  return shape.gpus === 0 && shape.cpusMilli > 0 && weightMicros > 0;
}
