import type { DemandDay } from "../trace/helios.ts";

const stepsPerDay = 144;

/**
 * Days of demand with the shape of a shared production fleet, made from a seed: teams differ in size by more than ten
 * times, most follow the working day, some run flat, and bursts come and go.
 */
export function syntheticDays(count: number, random: () => number): DemandDay[] {
  return Array.from({ length: count }, () => {
    const size = 4 * 2 ** (random() * 5.5);
    const wave = random() < 0.7 ? 0.2 + random() * 0.6 : 0;
    const peakAt = 0.45 + random() * 0.3;
    let burst = 0;
    return Array.from({ length: stepsPerDay }, (_, step) => {
      if (random() < 0.03) burst = random() < 0.5 ? 0 : random() * 1.5;
      const day = 1 + wave * Math.cos(2 * Math.PI * (step / stepsPerDay - peakAt));
      return Math.max(0, Math.round(size * (0.5 * day + burst * 0.6)));
    });
  });
}
