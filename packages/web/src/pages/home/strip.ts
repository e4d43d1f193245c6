import type { SummaryShape } from "@tessera/wire";
import type { stateColours } from "../fleet/colours.ts";

export type StripColumn = NonNullable<SummaryShape["fleet"]["columns"]>[number];
type Word = keyof typeof stateColours;

/** From the bottom of a column up: what jobs hold, what is free, and what no job can have now. */
const words: readonly Word[] = [
  ...(["guaranteed", "burst", "leaving", "reserved", "idle"] as const),
  ...(["withheld", "cordoned", "draining", "maintenance", "unknown", "down"] as const),
];

/** The parts of a column from the bottom up, as shares of its height. */
export function partsOf(column: StripColumn): { word: Word; from: number; share: number }[] {
  const all = sumOf(Object.values(column));
  let from = 0;
  return words.flatMap((word) => {
    const share = (column[word] ?? 0) / Math.max(1, all);
    from += share;
    return share === 0 ? [] : { word, from: from - share, share };
  });
}

/** What the columns show together, and how many GPUs each word stands for. */
export function legendOf(columns: readonly StripColumn[]): { word: Word; gpus: number }[] {
  return words
    .map((word) => ({ word, gpus: sumOf(columns.map((column) => column[word] ?? 0)) }))
    .filter(({ gpus }) => gpus > 0);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
