import type { View } from "./view.ts";

const hour = 3_600_000;
const day = 24 * hour;
const gibibyte = 2 ** 30;

/** How much is kept. The size limit takes precedence over ages. */
export interface TelemetrySettings {
  readonly bytesMax: number;
  /** How long every sample, the means of minutes, and those of hours are kept. */
  readonly rawMs: number;
  readonly minuteMs: number;
  readonly hourMs: number;
  /** With less room on the disk nothing is written: others need it more. */
  readonly freeBytesMin: number;
}

export const usualSettings: TelemetrySettings = {
  bytesMax: 4 * gibibyte,
  rawMs: 6 * hour,
  minuteMs: 14 * day,
  hourMs: 400 * day,
  freeBytesMin: 256 * 2 ** 20,
};

/** Less holds too little to be worth a file. */
export const bytesMaxLeast = 16 * 2 ** 20;

/**
 * The part of the size that each view may take at each level when there is not room for all of it. Lines of teams are few
 * rows and asked for most: theirs are never crowded out by those of single GPUs.
 */
export const sharePerMille: { readonly [Name in View]: readonly [number, number, number] } = {
  gpu: [400, 150, 60],
  lease: [150, 100, 30],
  group: [50, 50, 10],
};
