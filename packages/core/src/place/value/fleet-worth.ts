import { unitsPerGpu } from "../../model/units.ts";
import type { Chance } from "./chances.ts";
import { deviceWorth, stepsIn } from "./device-worth.ts";
import type { Room, Shape } from "./shape.ts";

/** A shape that little of the fleet can host weighs more, up to so many times. */
const scarcityMax = 150;
/** Gangs inside one node compete with what their node could host as single GPUs; less than half of their weight did best. */
const gangWeight = 0.4;
/** Losses that differ by less than this are equal: the order of nodes then packs. */
const unitsPerPoint = unitsPerGpu / 50;

/** Rooms of the fleet, each with how many nodes have it. */
export type Rooms = Iterable<readonly [Room, number]>;

/** The shapes that may use one model, in columns. */
interface Column {
  readonly cpusMilli: Float64Array;
  readonly gpus: Int32Array;
  readonly unitsPerCpuMilli: Float64Array;
  readonly weight: Float64Array;
}

/** What a placement costs and, for a share of a GPU, which GPU to take: one with so many units free. */
export interface Cost {
  readonly points: number;
  readonly freeUnits: number;
}

/**
 * What the free room of nodes is worth: how much of what is likely to arrive the fleet can still host, what is scarce
 * counting most. It is the linear form of a sum of chance times log of the room for each shape, so that the cost of a
 * placement is the difference of two values of one node.
 */
export class FleetWorth {
  readonly #devices: readonly Float64Array[];
  readonly #columns: readonly Column[];

  constructor(chances: readonly Chance[], models: number, rooms: Rooms) {
    const byModel = Array.from({ length: models }, (_, model) =>
      chances.filter(({ shape }) => shape.models.length === 0 || shape.models.includes(model)),
    );
    this.#devices = byModel.map(deviceWorth);
    const weights = this.#weights(chances, rooms);
    this.#columns = byModel.map((usable) => columnOf(usable, weights));
  }

  /** Points lost by putting the shape there, fewer is better; undefined where it does not fit. */
  cost(room: Room, shape: Shape): Cost | undefined {
    const { model, freeUnits } = room;
    const { cpusMilli, gpus, unitsEach, models } = shape;
    const left = room.cpusMilli - cpusMilli;
    if (left < 0 || (gpus > 0 && models.length > 0 && !models.includes(model))) return undefined;
    const used = this.#used(room);
    const whole = wholeGpus(room);
    const before = this.#value(model, room.cpusMilli, used, whole);
    const points = (usedAfter: number, wholeAfter: number) =>
      Math.ceil((before - this.#value(model, left, usedAfter, wholeAfter)) / unitsPerPoint);
    if (gpus === 0) return { points: points(used, whole), freeUnits: 0 };
    const fresh = this.#device(model, unitsPerGpu);
    if (unitsEach === unitsPerGpu) {
      if (whole < gpus) return undefined;
      return { points: points(used - gpus * fresh, whole - gpus), freeUnits: unitsPerGpu };
    }
    let best: Cost | undefined;
    let last = 0;
    for (const free of freeUnits) {
      if (free < unitsEach || free === last) continue;
      last = free;
      const usedAfter = used - this.#device(model, free) + this.#device(model, free - unitsEach);
      const cost = points(usedAfter, free === unitsPerGpu ? whole - 1 : whole);
      if (best === undefined || cost < best.points) best = { points: cost, freeUnits: free };
    }
    return best;
  }

  #device(model: number, units: number): number {
    return this.#devices[model]![stepsIn(units)]!;
  }

  /** How much of the free units of a node will be used. */
  #used({ model, freeUnits }: Room): number {
    let sum = 0;
    for (const free of freeUnits) sum += this.#device(model, free);
    return sum;
  }

  #value(model: number, cpusMilli: number, used: number, whole: number): number {
    const { cpusMilli: needed, gpus, unitsPerCpuMilli, weight } = this.#columns[model]!;
    let value = 0;
    for (let at = 0; at < needed.length; at++) {
      if (cpusMilli < needed[at]!) continue;
      const count = gpus[at]!;
      const byGpu = count === 1 ? used : Math.floor(whole / count) * count * unitsPerGpu;
      const byCpu = cpusMilli * unitsPerCpuMilli[at]!;
      value += weight[at]! * (byGpu < byCpu ? byGpu : byCpu);
    }
    return value;
  }

  /** The weight of each shape, by how likely it is and how little of the fleet can host it. */
  #weights(chances: readonly Chance[], rooms: Rooms): ReadonlyMap<Chance, number> {
    const hostable = new Float64Array(chances.length);
    let all = 0;
    for (const [room, nodes] of rooms) {
      const used = this.#used(room);
      const whole = wholeGpus(room);
      all += nodes * used;
      chances.forEach(({ shape }, at) => {
        hostable[at]! += nodes * hosted(shape, room, used, whole);
      });
    }
    const weights = chances.map(({ shape, chance }, at) => {
      const scarcity = hostable[at]! > 0 ? Math.min(all / hostable[at]!, scarcityMax) : scarcityMax;
      return chance * scarcity * (shape.gpus > 1 ? gangWeight : 1);
    });
    // Scaled so that the value of the whole fleet is what it can host: the points of a cost keep their meaning.
    const value = weights.reduce((sum, weight, at) => sum + weight * hostable[at]!, 0);
    const scale = value > 0 ? (all * chances.reduce((sum, { chance }) => sum + chance, 0)) / value : 0;
    return new Map(chances.map((chance, at) => [chance, weights[at]! * scale]));
  }
}

/** How many units of the shape a node could host. */
function hosted(shape: Shape, room: Room, used: number, whole: number): number {
  const { cpusMilli, gpus, models } = shape;
  if (room.cpusMilli < cpusMilli || (models.length > 0 && !models.includes(room.model))) return 0;
  const byGpu = gpus === 1 ? used : Math.floor(whole / gpus) * gpus * unitsPerGpu;
  return Math.min(byGpu, room.cpusMilli * unitsPerCpu(shape));
}

/** A shape without CPU is bound by GPUs alone. */
function unitsPerCpu({ cpusMilli, gpus, unitsEach }: Shape): number {
  return cpusMilli === 0 ? Number.MAX_SAFE_INTEGER : (gpus * unitsEach) / cpusMilli;
}

function wholeGpus({ freeUnits }: Room): number {
  let count = 0;
  for (let at = freeUnits.length - 1; at >= 0 && freeUnits[at] === unitsPerGpu; at--) count++;
  return count;
}

function columnOf(usable: readonly Chance[], weights: ReadonlyMap<Chance, number>): Column {
  return {
    cpusMilli: Float64Array.from(usable, ({ shape }) => shape.cpusMilli),
    gpus: Int32Array.from(usable, ({ shape }) => shape.gpus),
    unitsPerCpuMilli: Float64Array.from(usable, ({ shape }) => unitsPerCpu(shape)),
    weight: Float64Array.from(usable, (chance) => weights.get(chance)!),
  };
}
