import type { ArrivalShape } from "../../learn/worth/shape.ts";
import type { JobSpec } from "../../model/job.ts";
import { offerBits } from "../../model/offers.ts";
import { type Demand, nothing } from "../../quota/demand.ts";

/** One alternative of a wish on one model: what all members together would hold there. */
export interface WishOption {
  readonly choice: number;
  /** Model number in the fleet; below 0 without GPUs. */
  readonly model: number;
  readonly demand: Demand;
  /** The composition of the fleet for which an empty fleet was last seen to hold it; -1 = never. */
  fitsEmptyAt: number;
  /** The key of the nodes among which it was; absent = all. */
  fitsEmptyAmong?: string | undefined;
}

/** A wish without its run time: all that decides which seats hold a job. Equal shapes are one object. */
export interface SeatShape {
  readonly key: string;
}

/** An interned request: jobs that ask for the same share one, so that what follows from it is worked out once. */
export interface Wish {
  readonly no: number;
  /** The same for wishes that differ only in their run times. */
  readonly shape: SeatShape;
  /** Alternatives in order of preference, each on every model that would do. */
  options: readonly WishOption[];
  /** What the first alternative would hold; shares are compared with it. */
  first: Demand;
  /** What one member counts as in the statistics of arrivals. */
  arrival: ArrivalShape;
  /** The kinds of GPUs in the fleet for which options, first demand and arrival hold. */
  kinds: number;
}

/** Beyond this many wishes all are forgotten at once; waiting jobs keep theirs. */
const wishesMax = 65_536;

/** A power of two: a slot is the upper bits of a hash. */
const recentMax = 256;
const noArrival: ArrivalShape = { cpusMilli: 0, gpus: 0, unitsEach: 0, models: [] };

type NeedValue = string | number | boolean | undefined;

interface Recent {
  /** The last spec that was found equal. */
  spec: JobSpec;
  readonly alone: true | undefined;
  readonly need: readonly NeedValue[];
  readonly wish: Wish;
}

/** All wishes seen so far. */
export class Wishes {
  readonly #byText = new Map<string, Wish>();
  readonly #shapes = new Map<string, SeatShape>();
  #count = 0;
  /** Recent requests by a hash of a few of their numbers. Saves writing a key: most jobs repeat a recent request. */
  readonly #recent: (Recent | undefined)[] = Array.from({ length: recentMax }, () => undefined);
  /** Reused for each request, so that a repeated one allocates nothing. */
  readonly #need: NeedValue[] = [];

  /** `alone`: jobs that share no MPS server find other seats than those that do [L3]. */
  of(spec: JobSpec, alone?: true): Wish {
    const slot = recentSlotOf(spec);
    const recent = this.#recent[slot];
    if (recent?.spec === spec && recent.alone === alone) return recent.wish;
    const need = this.#need;
    listNeed(spec, alone, need);
    if (recent !== undefined && isSameNeed(recent.need, need)) {
      recent.spec = spec;
      return recent.wish;
    }
    const wish = this.#find(need);
    this.#recent[slot] = { spec, alone, need: [...need], wish };
    return wish;
  }

  #find(need: readonly NeedValue[]): Wish {
    const key = JSON.stringify(need.slice(runTimes));
    const text = `${key}${JSON.stringify(need.slice(0, runTimes))}`;
    let wish = this.#byText.get(text);
    if (wish === undefined) {
      if (this.#byText.size >= wishesMax) this.#forget();
      const shape = this.#shapeOf(key);
      wish = { no: this.#count++, shape, options: [], first: nothing, arrival: noArrival, kinds: -1 };
      this.#byText.set(text, wish);
    }
    return wish;
  }

  #shapeOf(key: string): SeatShape {
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = { key };
      this.#shapes.set(key, shape);
    }
    return shape;
  }

  #forget(): void {
    this.#recent.fill(undefined);
    this.#byText.clear();
    this.#shapes.clear();
  }
}

/** How many entries of a need come first that say how long the job runs, and not which seats hold it. */
const runTimes = 2;

/**
 * Writes all that a wish consists of into a list: the one place that says which fields of a spec make two requests
 * differ. Both the key of a wish and the comparison with a recent request use it.
 */
function listNeed(spec: JobSpec, alone: true | undefined, need: NeedValue[]): void {
  const { members, topology, spread, slo } = spec;
  let at = 0;
  need[at++] = spec.maxTimeMs;
  need[at++] = spec.expectedMs;
  need[at++] = members.min;
  need[at++] = members.max;
  need[at++] = members.apart;
  need[at++] = spec.cpusMilli;
  need[at++] = spec.memoryMiB;
  need[at++] = spec.gpuMemoryMiB;
  need[at++] = spec.preemptible;
  need[at++] = spec.isolation;
  need[at++] = alone;
  need[at++] = topology?.level;
  need[at++] = topology?.required;
  need[at++] = spread?.level;
  need[at++] = spread?.required;
  need[at++] = spec.maxPriceMicros;
  need[at++] = spec.apartFrom?.join();
  need[at++] = spec.needs?.join();
  need[at++] = offerBits(spec);
  need[at++] = spec.engine;
  need[at++] = spec.region;
  need[at++] = spec.where === undefined ? undefined : JSON.stringify(spec.where);
  for (const { model, count, unitsEach, part } of spec.gpus) {
    need[at++] = model;
    need[at++] = count;
    need[at++] = unitsEach;
    need[at++] = part !== undefined;
    if (part === undefined) continue;
    need[at++] = part.profile;
    need[at++] = part.compute;
    need[at++] = part.memory;
    need[at++] = part.memoryMiB;
    // Which neighbours a part may have depends on the kind of work and its latency goal.
    need[at++] = spec.type;
    need[at++] = slo?.p99Ms;
    need[at++] = slo?.aloneMs;
  }
  need.length = at;
}

function isSameNeed(a: readonly NeedValue[], b: readonly NeedValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function recentSlotOf({ gpus, members, cpusMilli, memoryMiB, maxTimeMs = 0 }: JobSpec): number {
  const { count, unitsEach } = gpus[0]!;
  let mixed = Math.imul(cpusMilli, 31) + memoryMiB;
  mixed = Math.imul(mixed, 31) + count;
  mixed = Math.imul(mixed, 31) + unitsEach;
  mixed = Math.imul(mixed, 31) + members.min;
  mixed = Math.imul(mixed, 31) + maxTimeMs;
  return Math.imul(mixed, 0x9e37_79b1) >>> 24;
}
