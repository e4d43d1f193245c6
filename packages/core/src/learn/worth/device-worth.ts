import { unitsPerGpu } from "../../model/units.ts";
import type { ArrivalShape } from "./shape.ts";

/** The resolution of a GPU in the valuation. */
export const steps = 100;
const unitsPerStep = unitsPerGpu / steps;

const samples = 400;
/**
 * The arrivals of parts that a GPU is expected to see while it has room. With fewer, a fillable remnant would seem lost;
 * with more, every remnant would seem to be filled some day.
 */
const partsEach = 17;
const words = Math.ceil((steps + 1) / 32);

/** A shape and its chance in billionths. */
export interface Likely {
  readonly shape: ArrivalShape;
  readonly chancePpb: number;
}

/** The whole steps in a free amount. */
export function stepsIn(units: number): number {
  return Math.floor(units / unitsPerStep);
}

/**
 * By free steps: the expected use of a GPU, in units. It is the mean, over samples of likely parts, of the fullest
 * packing of each sample; a whole free GPU counts in full, unless only parts arrive during the sample. The random numbers
 * are the same each time, so that the result depends on the chances alone.
 */
export function deviceWorth(chances: readonly Likely[]): Float64Array {
  const ofGpus = chances.filter(({ shape }) => shape.gpus > 0);
  const total = sumOf(ofGpus);
  if (total === 0) return Float64Array.from({ length: steps + 1 }, (_, step) => (step * unitsPerStep) / 2);
  const parts = ofGpus.filter(({ shape }) => shape.unitsEach < unitsPerGpu);
  const worth = fullestOf(parts);
  const onlyParts = (sumOf(parts) / total) ** partsEach;
  worth[steps] = onlyParts * worth[steps]! + (1 - onlyParts) * unitsPerGpu;
  return worth;
}

function sumOf(chances: readonly Likely[]): number {
  return chances.reduce((sum, { chancePpb }) => sum + chancePpb, 0);
}

/** By free steps: how full parts make a GPU on average. */
function fullestOf(parts: readonly Likely[]): Float64Array {
  const worth = new Float64Array(steps + 1);
  if (parts.length === 0) return worth;
  const sizes = parts.map(({ shape }) => Math.min(steps, Math.ceil(shape.unitsEach / unitsPerStep)));
  const below = runningSum(parts);
  const total = below.at(-1)!;
  const draw = drawer();
  const reachable = new Uint32Array(words);
  for (let sample = 0; sample < samples; sample++) {
    reachable.fill(0);
    reachable[0] = 1;
    for (let i = 0; i < partsEach; i++) addSize(reachable, sizes[firstAbove(below, draw() * total)]!);
    let fullest = 0;
    for (let step = 0; step <= steps; step++) {
      if ((reachable[step >> 5]! >>> (step & 31)) & 1) fullest = step;
      worth[step]! += fullest;
    }
  }
  return worth.map((sum) => (sum * unitsPerStep) / samples);
}

function runningSum(chances: readonly Likely[]): Float64Array {
  let sum = 0;
  return Float64Array.from(chances, ({ chancePpb }) => {
    sum += chancePpb;
    return sum;
  });
}

/** Adds `size` to every reachable sum; bit s stands for the sum s. */
function addSize(reachable: Uint32Array, size: number): void {
  const skipped = size >> 5;
  const bits = size & 31;
  for (let word = words - 1; word >= skipped; word--) {
    const from = word - skipped;
    const low = bits > 0 && from > 0 ? reachable[from - 1]! >>> (32 - bits) : 0;
    reachable[word]! |= (reachable[from]! << bits) | low;
  }
}

function firstAbove(below: Float64Array, value: number): number {
  let low = 0;
  let high = below.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (below[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Pseudo-random numbers in [0, 1), the same in each replay (xorshift). */
function drawer(): () => number {
  let state = 0x2545f491;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
