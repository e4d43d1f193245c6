import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { type Demand, nothing } from "../queue/quota.ts";

/** One alternative of a wish on one model: what all members together would hold there. */
export interface WishOption {
  readonly choice: number;
  /** Model number in the fleet; -1 without GPUs. */
  readonly model: number;
  readonly demand: Demand;
  /** The makeup of the fleet at which an empty one was last seen to hold it; -1 = never. */
  fitsEmptyAt: number;
}

/** What a wish is apart from how long it is to run: all that decides which seats hold it. */
export interface Shape {
  /** The change of the fleet up to which no free seats are known to hold it, whoever asks; -1 = there may be some. */
  fullAt: number;
  /** The same for tenants for whom it is only their neighbours who stand in the way. */
  readonly fullFor: Map<AccountNo, number>;
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
  /** The kinds of GPUs in the fleet for which that holds. */
  kinds: number;
}

/** More wishes than this are forgotten at once; who waits keeps the one it has. */
const wishesMax = 65_536;

/** All wishes that were seen, so that what follows from one is worked out once. */
export class Wishes {
  readonly #byText = new Map<string, Wish>();
  readonly #shapes = new Map<string, Shape>();
  #count = 0;
  /** A job is looked at several times while it is taken in, and the elements of an array share one spec. */
  #lastSpec: JobSpec | undefined;
  #lastWish: Wish | undefined;

  of(spec: JobSpec): Wish {
    if (spec === this.#lastSpec) return this.#lastWish!;
    const shape = shapeTextOf(spec);
    const text = `${shape}|${spec.maxTimeMs}|${spec.expectedMs}`;
    let wish = this.#byText.get(text);
    if (wish === undefined) {
      if (this.#byText.size >= wishesMax) this.#forget();
      wish = { no: this.#count++, shape: this.#shapeOf(shape), options: [], first: nothing, kinds: -1 };
      this.#byText.set(text, wish);
    }
    this.#lastSpec = spec;
    this.#lastWish = wish;
    return wish;
  }

  #shapeOf(text: string): Shape {
    let shape = this.#shapes.get(text);
    if (shape === undefined) {
      shape = { fullAt: -1, fullFor: new Map() };
      this.#shapes.set(text, shape);
    }
    return shape;
  }

  /** Who may be beside whom has changed. */
  neighboursChanged(): void {
    for (const shape of this.#shapes.values()) shape.fullFor.clear();
  }

  #forget(): void {
    this.#byText.clear();
    this.#shapes.clear();
  }
}

function shapeTextOf(spec: JobSpec): string {
  const { members, topology, isolation, cpusMilli, memoryMiB, gpuMemoryMiB, preemptible } = spec;
  let text = `${members.min}-${members.max}${members.apart ? "a" : ""}|${cpusMilli}|${memoryMiB}|${gpuMemoryMiB}|${preemptible}|${isolation}`;
  if (spec.spread !== undefined) text += `|s${spec.spread.level}${spec.spread.required}`;
  if (spec.needs !== undefined) text += `|${spec.needs}`;
  if (topology !== undefined) text += `|${topology.level}${topology.required}`;
  for (const { model, count, unitsEach, part } of spec.gpus) {
    text += `,${model}:${count}:${unitsEach}`;
    if (part !== undefined) text += `:${part.profile}:${part.compute}:${part.memory}:${part.memoryMiB}`;
  }
  return text;
}
