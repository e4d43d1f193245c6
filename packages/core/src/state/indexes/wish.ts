import type { Shape as ArrivalShape } from "../../learn/worth/shape.ts";
import type { GpuAsk, JobSpec, Members, TopologyAsk } from "../../model/job.ts";
import { type Demand, nothing } from "../../quota/demand.ts";

/** One alternative of a wish on one model: what all members together would hold there. */
export interface WishOption {
  readonly choice: number;
  /** Model number in the fleet; -1 without GPUs. */
  readonly model: number;
  readonly demand: Demand;
  /** The makeup of the fleet at which an empty one was last seen to hold it; -1 = never. */
  fitsEmptyAt: number;
}

/** What a wish is without its run time: all that decides which seats hold it. Equal shapes are one object. */
export interface Shape {
  readonly key: string;
}

/** What a job asks for, apart from who asks: all that decides where it fits. Equal asks are one wish. */
export interface Wish {
  readonly no: number;
  /** The same for wishes that differ only in how long they are to run. */
  readonly shape: Shape;
  /** Alternatives in order of preference, each on every model that would do. */
  options: readonly WishOption[];
  /** What the first alternative would hold: what shares are compared with. */
  first: Demand;
  /** What one member of it is to those who learn from arrivals. */
  arrival: ArrivalShape;
  /** The kinds of GPUs in the fleet for which that holds. */
  kinds: number;
}

/** More wishes than this are forgotten at once; who waits keeps the one it has. */
const wishesMax = 65_536;

/** A power of two. */
const recentMax = 256;
const noArrival: ArrivalShape = { cpusMilli: 0, gpus: 0, unitsEach: 0, models: [] };

/** All that decides which seats hold a job, one after the other. */
type Ask = readonly (string | number | boolean | undefined)[];

interface Recent {
  /** The last that asked for it. */
  spec: JobSpec;
  readonly wish: Wish;
}

/** All wishes that were seen, so that what follows from one is worked out once. */
export class Wishes {
  readonly #byText = new Map<string, Wish>();
  readonly #shapes = new Map<string, Shape>();
  #count = 0;
  /** Some of the last asks, each at its place by a few of its numbers: most jobs ask for what others just have. */
  readonly #recent: (Recent | undefined)[] = Array.from({ length: recentMax }, () => undefined);

  of(spec: JobSpec): Wish {
    const place = placeOf(spec);
    const recent = this.#recent[place];
    if (recent !== undefined && (recent.spec === spec || isSameAsk(recent.spec, spec))) {
      recent.spec = spec;
      return recent.wish;
    }
    const wish = this.#find(spec);
    this.#recent[place] = { spec, wish };
    return wish;
  }

  #find(spec: JobSpec): Wish {
    const shape = JSON.stringify(askOf(spec));
    const text = `${shape}${spec.maxTimeMs}|${spec.expectedMs}`;
    let wish = this.#byText.get(text);
    if (wish === undefined) {
      if (this.#byText.size >= wishesMax) this.#forget();
      wish = {
        no: this.#count++,
        shape: this.#shapeOf(shape),
        options: [],
        first: nothing,
        arrival: noArrival,
        kinds: -1,
      };
      this.#byText.set(text, wish);
    }
    return wish;
  }

  #shapeOf(text: string): Shape {
    let shape = this.#shapes.get(text);
    if (shape === undefined) {
      shape = { key: text };
      this.#shapes.set(text, shape);
    }
    return shape;
  }

  #forget(): void {
    this.#recent.fill(undefined);
    this.#byText.clear();
    this.#shapes.clear();
  }
}

function askOf(spec: JobSpec): Ask {
  const { members, topology, spread, isolation, cpusMilli, memoryMiB, gpuMemoryMiB, preemptible } = spec;
  const ask: (string | number | boolean | undefined)[] = [
    members.min,
    members.max,
    members.apart,
    cpusMilli,
    memoryMiB,
    gpuMemoryMiB,
    preemptible,
    isolation,
    topology?.level,
    topology?.required,
    spread?.level,
    spread?.required,
    spec.maxPriceMicros,
    spec.apartFrom?.join(),
    spec.needs?.join(),
  ];
  for (const { model, count, unitsEach, part } of spec.gpus) {
    ask.push(model, count, unitsEach, part !== undefined);
    if (part === undefined) continue;
    ask.push(part.profile, part.compute, part.memory, part.memoryMiB, spec.type, spec.slo?.p99Ms, spec.slo?.aloneMs);
  }
  return ask;
}

/** Whether it is certain that their asks, and the times they need, are equal, without writing either down. */
function isSameAsk(a: JobSpec, b: JobSpec): boolean {
  return (
    a.cpusMilli === b.cpusMilli &&
    a.memoryMiB === b.memoryMiB &&
    a.maxTimeMs === b.maxTimeMs &&
    a.expectedMs === b.expectedMs &&
    a.gpuMemoryMiB === b.gpuMemoryMiB &&
    a.preemptible === b.preemptible &&
    a.isolation === b.isolation &&
    a.type === b.type &&
    a.slo?.p99Ms === b.slo?.p99Ms &&
    a.slo?.aloneMs === b.slo?.aloneMs &&
    a.maxPriceMicros === b.maxPriceMicros &&
    (a.members === b.members || isSameMembers(a.members, b.members)) &&
    (a.gpus === b.gpus || isSameGpus(a.gpus, b.gpus)) &&
    isSameLevel(a.topology, b.topology) &&
    isSameLevel(a.spread, b.spread) &&
    a.apartFrom?.join() === b.apartFrom?.join() &&
    a.needs?.join() === b.needs?.join()
  );
}

function isSameMembers(a: Members, b: Members): boolean {
  return a.min === b.min && a.max === b.max && a.apart === b.apart;
}

function isSameLevel(a: TopologyAsk | undefined, b: TopologyAsk | undefined): boolean {
  return a === b || (a?.level === b?.level && a?.required === b?.required);
}

function isSameGpus(a: readonly GpuAsk[], b: readonly GpuAsk[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !isSameGpu(a[i]!, b[i]!)) return false;
  return true;
}

function isSameGpu(a: GpuAsk, b: GpuAsk): boolean {
  if (a.model !== b.model || a.count !== b.count || a.unitsEach !== b.unitsEach) return false;
  const [part, other] = [a.part, b.part];
  if (part === undefined || other === undefined) return part === other;
  return (
    part.profile === other.profile &&
    part.compute === other.compute &&
    part.memory === other.memory &&
    part.memoryMiB === other.memoryMiB
  );
}

function placeOf({ gpus, members, cpusMilli, memoryMiB, maxTimeMs = 0 }: JobSpec): number {
  const { count, unitsEach } = gpus[0]!;
  let mixed = Math.imul(cpusMilli, 31) + memoryMiB;
  mixed = Math.imul(mixed, 31) + count;
  mixed = Math.imul(mixed, 31) + unitsEach;
  mixed = Math.imul(mixed, 31) + members.min;
  mixed = Math.imul(mixed, 31) + maxTimeMs;
  return Math.imul(mixed, 0x9e37_79b1) >>> 24;
}
