import { unitsPerGpu } from "../../model/units.ts";
import type { Chance } from "./chances.ts";
import { deviceWorth, type Likely, stepsIn } from "./device-worth.ts";
import type { ArrivalShape, NodeRoom } from "./shape.ts";

/** A shape that little of the fleet can host weighs more, up to so many times. */
const scarcityMax = 150;
/**
 * Gangs inside one node compete with what their node could host as single GPUs. Where what does not fit is dropped, less
 * than half of their weight did best; where it waits, room has to be made for it, and that costs others their place.
 */
const gangWeight = { dropped: 0.4, waits: 3 } as const;
/** Work without GPUs needs its cores on one node too, but no GPU stays idle where it finds none. */
const noGpuWeight = 0.25;
/** Of arrivals, the share bound to some models from which on room on these is kept in full where others are dropped. */
const boundShare = 1 / 3;
/** Losses that differ by less than this are equal: the order of nodes then packs. */
const unitsPerPoint = unitsPerGpu / 50;

/** What becomes of work that finds no place. */
export type Unplaced = keyof typeof gangWeight;

/** RoomCounts of the fleet, each with how many nodes have it. */
export type RoomCounts = Iterable<readonly [NodeRoom, number]>;

/** The shapes that may use one model, in columns. */
interface Column {
  readonly cpusMilli: Float64Array;
  readonly gpus: Int32Array;
  readonly unitsPerCpuMilli: Float64Array;
  readonly weight: Float64Array;
  /** Of shapes without GPUs: the cores of each, and what each of their thousandths is worth. */
  readonly noGpuCpusMilli: Float64Array;
  readonly noGpuWeight: Float64Array;
}

/** What a placement costs and, for a share of a GPU, which GPU to take: one with so many units free. */
export interface PlacementCost {
  readonly points: number;
  readonly freeUnits: number;
}

/** A shape with how likely it is and what room for it is worth; whole numbers, so that it can be stored. */
export interface Weighed {
  readonly shape: ArrivalShape;
  readonly chancePpb: number;
  readonly weightMicros: number;
}

const ppb = 1e9;
const micros = 1e6;

/**
 * What the free room of nodes is worth: how much of what is likely to arrive the fleet can still host, what is scarce
 * counting most. It is the linear form of a sum of chance times log of the room for each shape, so that the cost of a
 * placement is the difference of two values of one node.
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

  /** Worth on a fleet with these rooms, where what does not fit is dropped or waits. */
  static weigh(chances: readonly Chance[], models: number, rooms: RoomCounts, unplaced: Unplaced): FleetWorth {
    const likely = chances.map(({ shape, chance }) => ({ shape, chancePpb: Math.round(chance * ppb) }));
    const devices = devicesFor(likely, models);
    const weights = weightsOn(chances, rooms, devices, unplaced);
    const weighed = likely.map((each, at) => ({ ...each, weightMicros: Math.round(weights[at]! * micros) }));
    return new FleetWorth(weighed, models, devices);
  }

  /** Points lost by putting the shape there, fewer is better; undefined where it does not fit. */
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

  /** The same where it is known that the shape fits, and that it takes GPUs with so many units free. */
  costOn(room: NodeRoom, { cpusMilli, gpus, unitsEach }: ArrivalShape, freeUnits: number): number {
    const { model } = room;
    const device = this.#devices[model]!;
    const lost = device[stepsIn(freeUnits)]! - device[stepsIn(freeUnits - unitsEach)]!;
    const opened = freeUnits === unitsPerGpu ? gpus : 0;
    return this.points(model, room.cpusMilli, usedOf(room, device), wholeGpus(room), cpusMilli, gpus * lost, opened);
  }

  /** How much of a GPU of the model is likely to be used that has so many units free. */
  usedOf(model: number, freeUnits: number): number {
    return this.#devices[model]![stepsIn(freeUnits)]!;
  }

  /**
   * Points lost on a node with so much CPU, so much that is likely to be used and so many whole GPUs, when so much of
   * each is taken.
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

/** How much of the free units of a node will be used. */
function usedOf({ freeUnits }: NodeRoom, device: Float64Array): number {
  let sum = 0;
  for (const free of freeUnits) sum += device[stepsIn(free)]!;
  return sum;
}

/** The weight of each shape, by how likely it is and how little of the fleet can host it. */
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
  // Scaled so that the value of the whole fleet is what it can host: the points of a cost keep their meaning.
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
 * Where few arrivals are bound to some models and what does not fit is dropped, others take the room that is kept for
 * them anyway, and gangs find theirs gone earlier; where many are, nobody else would fill it.
 */
function boundWeight(chances: readonly Chance[]): number {
  const share = sumOf(chances, ({ gpus, models }) => gpus === 1 && models.length > 0);
  return Math.min(1, (share / boundShare) ** 3);
}

function sumOf(chances: readonly Chance[], counts: (shape: ArrivalShape) => boolean): number {
  return chances.reduce((sum, { shape, chance }) => (counts(shape) ? sum + chance : sum), 0);
}

/** How many units of the shape a node could host; of one without GPUs, how many thousandths of a core. */
function hosted(shape: ArrivalShape, room: NodeRoom, used: number, whole: number): number {
  const { cpusMilli, gpus } = shape;
  if (gpus === 0) return cpusMilli === 0 ? 0 : Math.floor(room.cpusMilli / cpusMilli) * cpusMilli;
  if (room.cpusMilli < cpusMilli || !mayUse(shape, room.model)) return 0;
  const byGpu = gpus === 1 ? used : Math.floor(whole / gpus) * gpus * unitsPerGpu;
  return Math.min(byGpu, room.cpusMilli * unitsPerCpu(shape));
}

/** A shape without CPU is bound by GPUs alone. */
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

/** Work that asks for neither GPUs nor cores fits everywhere and is worth no room. */
function isNoGpu({ shape, weightMicros }: Weighed): boolean {
  return shape.gpus === 0 && shape.cpusMilli > 0 && weightMicros > 0;
}
