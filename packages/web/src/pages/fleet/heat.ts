import type { FleetMetric } from "@tessera/wire";

export const measures = ["activity", "power", "temperature"] as const satisfies readonly FleetMetric[];
export type Measure = (typeof measures)[number];

export const notMeasured = "not measured";

/** Where each step begins, and its unit. The first of activity is what counts as idle everywhere. */
const scales: Readonly<Record<Measure, { readonly unit: string; readonly from: readonly number[] }>> = {
  activity: { unit: "%", from: [0, 5, 20, 40, 60, 80] },
  power: { unit: "W", from: [0, 100, 200, 350, 500, 700] },
  temperature: { unit: "°C", from: [0, 40, 50, 60, 70, 80] },
};

export function isMeasure(word: string): word is Measure {
  return measures.some((measure) => measure === word);
}

/** The words of a measure, the smallest values first. */
export function wordsOfMeasure(by: Measure): readonly string[] {
  const { unit, from } = scales[by];
  return from.map((low, step) => {
    const next = from[step + 1];
    if (step === 0) return `below ${next} ${unit}`;
    return next === undefined ? `${low} ${unit} and more` : `${low} to ${next} ${unit}`;
  });
}

const words: Readonly<Record<Measure, readonly string[]>> = {
  activity: wordsOfMeasure("activity"),
  power: wordsOfMeasure("power"),
  temperature: wordsOfMeasure("temperature"),
};

export function wordOfValue(by: Measure, value: number): string {
  return words[by][scales[by].from.findLastIndex((low) => value >= low)] ?? notMeasured;
}

/** The colour of each word: one ramp for all measures, from dark to bright, that also colour-blind readers can order. */
export const heatNames: Readonly<Record<string, string>> = Object.fromEntries(
  measures.flatMap((by) => words[by].map((word, step) => [word, `--heat-${step}`])),
);
