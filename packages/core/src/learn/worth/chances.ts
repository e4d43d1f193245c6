import { unitsPerGpu } from "../../model/units.ts";
import type { Mix } from "./mix.ts";
import type { ArrivalShape } from "./shape.ts";

/** The weight of the initial guess, in GPU arrivals. */
const guessArrivals = 50;
/** The guessed share of one-GPU jobs; the others are gangs that fill a node, half a node and a quarter. */
const guessOfOne = 0.85;
const guessOfGangs = [0.11, 0.03, 0.01];
/** The least share of arrivals that counts as gangs inside one node: rare and large, they fail first. */
const gangsMin = 0.04;
/** Added while the mix changes, because the past then says little about gangs. */
const gangsInDrift = 0.055;
/** The guessed cores per GPU, as a share of the cores per GPU of the largest nodes. */
const cpuShare = 0.9;

/** The fleet's largest nodes. */
export interface Largest {
  readonly gpus: number;
  readonly cpusMilliPerGpu: number;
}

/** A shape and its number of arrivals per arrival that needs GPUs. */
export interface Chance {
  readonly shape: ArrivalShape;
  readonly chance: number;
}

/**
 * What is likely to arrive: learned from the mix, with an initial guess whose weight falls with each arrival. While the
 * mix changes, recent arrivals count more, and a share is added for gangs as long as there is room to keep for them;
 * `fill` is the allocated share of the fleet.
 */
export function chancesOf(mix: Mix, largest: Largest, fill: number): Chance[] {
  const { shapes, counts, recent } = mix;
  const ofGpus = (of: readonly number[], gpusMin: number) =>
    of.reduce((sum, count, at) => (shapes[at]!.gpus >= gpusMin ? sum + count : sum), 0);
  const all = ofGpus(counts, 1);
  const recently = ofGpus(recent, 1);
  const moving = recently === 0 ? 0 : mix.drift();
  const seen = (at: number) =>
    all === 0 ? 0 : (counts[at]! / all) * (1 - moving) + (recently === 0 ? 0 : (recent[at]! / recently) * moving);
  const gangsSeen =
    all === 0
      ? 0
      : (ofGpus(counts, 2) / all) * (1 - moving) + (moving > 0 ? (ofGpus(recent, 2) / recently) * moving : 0);
  const whileThereIsRoom = 1 - fill * fill * fill * fill;
  const gangs = Math.max(0, gangsMin + gangsInDrift * moving * whileThereIsRoom - gangsSeen);
  const guess = guessArrivals / (all + guessArrivals);
  const learned = shapes.map((shape, at) => ({ shape, chance: (1 - guess) * (1 - gangs) * seen(at) }));
  return [...guessed(largest, guess * (1 - gangs), gangs), ...learned].filter(({ chance }) => chance > 0);
}

/** The guess: jobs of one GPU, and gangs of a whole node, half of one and a quarter. */
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
