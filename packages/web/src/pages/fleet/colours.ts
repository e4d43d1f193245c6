import type { FleetActivity, FleetNodeShape } from "@tessera/wire";
import { heatNames, isMeasure, type Measure, measures, notMeasured, wordOfValue, wordsOfMeasure } from "./heat.ts";

export const colourings = ["class", "tenant", "mode", "model", ...measures] as const;
export type Colouring = (typeof colourings)[number];

/** The word of one GPU; GPUs with the same word have the same colour. */
export type Words = (node: FleetNodeShape, gpu: number) => string;

/** The words of a colouring. `measured`: what is known by now, for those that show it. */
export function wordsBy(by: Colouring, measured: FleetActivity | undefined): Words {
  if (isMeasure(by)) return (node, gpu) => measuredWord(node, gpu, by, measured);
  return (node, gpu) => heldWord(node, gpu, by);
}

/** What was not measured is a state of its own: it is not 0. */
function measuredWord(node: FleetNodeShape, gpu: number, by: Measure, measured: FleetActivity | undefined): string {
  const letter = node.cells[gpu]!;
  if (measured?.whole === false && letter === ".") return "not leased";
  if (measured?.whole === false && letter.toLowerCase() === "x") return "other tenants";
  // The answer for the metric chosen before is shown until that for this one is there.
  const value = measured?.metric === by ? measured.nodes[node.name]?.[gpu] : undefined;
  return value === undefined || value === null ? notMeasured : wordOfValue(by, value);
}

function heldWord(node: FleetNodeShape, gpu: number, by: Exclude<Colouring, Measure>): string {
  const letter = node.cells[gpu]!;
  switch (by) {
    case "class":
      if (letter === ".") return node.mode === "up" ? "idle" : node.mode;
      return { g: "guaranteed", b: "burst", l: "leaving", x: "other tenants" }[letter.toLowerCase()]!;
    case "tenant": {
      if (letter === ".") return "idle";
      const holder = node.holders?.[gpu] ?? -1;
      return holder < 0 ? "other tenants" : node.tenants![holder]!;
    }
    case "mode":
      return node.mode;
    case "model":
      return node.model;
  }
}

const fixed: Readonly<Record<string, string>> = {
  idle: "--map-idle",
  guaranteed: "--guaranteed",
  burst: "--burst",
  leaving: "--leaving",
  "other tenants": "--maintenance",
  up: "--healthy",
  cordoned: "--burst",
  draining: "--leaving",
  maintenance: "--maintenance",
  down: "--down",
  unknown: "--unknown",
  "not leased": "--map-idle",
  [notMeasured]: "--map-unmeasured",
  ...heatNames,
};

/** Okabe-Ito, without those that stand for states; beyond them, hues by the name. */
const few = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7a00", "#6a51a3"];

/** A colour for each word: that of a state is fixed, others follow in order and then by name. */
export function colourOf(word: string, rank: number, read: (name: string) => string): string {
  const name = fixed[word];
  if (name !== undefined) return read(name);
  if (rank < few.length) return few[rank]!;
  let hash = 0;
  for (const letter of word) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return `hsl(${hash % 360} 55% 50%)`;
}

/** How many GPUs each word stands for: the most first, measures by their size. */
export function legendOf(
  nodes: readonly FleetNodeShape[],
  by: Colouring,
  words: Words,
): { word: string; gpus: number }[] {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    for (let gpu = 0; gpu < node.cells.length; gpu++) {
      const word = words(node, gpu);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const legend = [...counts].map(([word, gpus]) => ({ word, gpus })).sort((a, b) => b.gpus - a.gpus);
  if (!isMeasure(by)) return legend;
  const places = new Map(wordsOfMeasure(by).map((word, place) => [word, place]));
  const placeOf = (word: string) => places.get(word) ?? places.size;
  return legend.sort((a, b) => placeOf(a.word) - placeOf(b.word));
}
