import { unitsPerGpu } from "../../model/units.ts";
import type { Mix } from "./mix.ts";
import type { ArrivalShape } from "./shape.ts";

/** GPU arrivals that the guess made before any arrival is worth. */
const guessArrivals = 50;
/** What is guessed of one GPU; the rest is of gangs that fill a node, half a node and a quarter. */
const guessOfOne = 0.85;
const guessOfGangs = [0.11, 0.03, 0.01];
/** Of what arrives, at least this share counts as gangs inside one node: rare and large, they fail first. */
const gangsMin = 0.04;
/** So much more where the mix moves: nobody knows then whether gangs will come. */
const gangsInDrift = 0.055;
/** Nine tenths of the CPU that a GPU of the largest nodes has beside it. */
const cpuShare = 0.9;

/** What the fleet's largest nodes are like. */
export interface Largest {
  readonly gpus: number;
  readonly cpusMilliPerGpu: number;
}

/** A shape and how many of it come for each arrival that wants GPUs. */
export interface Chance {
  readonly shape: ArrivalShape;
  readonly chance: number;
}

/**
 * What is likely to arrive. Learned from the mix, with a guess that counts less with each arrival. While the mix moves,
 * recent arrivals count more, and a part is kept for gangs as long as there is room to keep them a place: `fill` is the
 * allocated share of the fleet.
 */
export function chancesOf(mix: Mix, largest: Largest, fill: number): Chance[] {
  const { shapes, counts, recent } = mix;
  const ofGpus = (of: readonly number[], gpusMin: number) =>
    of.reduce((sum, count, at) => (shapes[at]!.gpus >= gpusMin ? sum + count : sum), 0);
  const all = ofGpus(counts, 1);
  const lately = ofGpus(recent, 1);
  const moving = lately === 0 ? 0 : mix.drift();
  const seen = (at: number) =>
    all === 0 ? 0 : (counts[at]! / all) * (1 - moving) + (lately === 0 ? 0 : (recent[at]! / lately) * moving);
  const gangsSeen =
    all === 0 ? 0 : (ofGpus(counts, 2) / all) * (1 - moving) + (moving > 0 ? (ofGpus(recent, 2) / lately) * moving : 0);
  const whileThereIsRoom = 1 - fill * fill * fill * fill;
  const gangs = Math.max(0, gangsMin + gangsInDrift * moving * whileThereIsRoom - gangsSeen);
  const guess = guessArrivals / (all + guessArrivals);
  const learned = shapes.map((shape, at) => ({ shape, chance: (1 - guess) * (1 - gangs) * seen(at) }));
  return [...guessed(largest, guess * (1 - gangs), gangs), ...learned].filter(({ chance }) => chance > 0);
}

/** The guess: one GPU, and gangs of a whole node, half of it and a quarter. */
function guessed({ gpus, cpusMilliPerGpu }: Largest, guess: number, gangs: number): Chance[] {
  const cpusMilli = Math.floor(cpuShare * cpusMilliPerGpu);
  const whole = (count: number): ArrivalShape => ({
    cpusMilli: cpusMilli * count,
    gpus: count,
    unitsEach: unitsPerGpu,
    models: [],
  });
  const sizes = guessOfGangs.map((chance, halvings) => ({ count: gpus >> halvings, chance }));
  const possible = sizes.filter(({ count }) => count > 1);
  const total = possible.reduce((sum, { chance }) => sum + chance, 0);
  return [
    { shape: whole(1), chance: guess * (possible.length === 0 ? 1 : guessOfOne) },
    ...possible.map(({ count, chance }) => ({
      shape: whole(count),
      chance: (guess * (1 - guessOfOne) * chance) / total + (gangs * chance) / total,
    })),
  ];
}
