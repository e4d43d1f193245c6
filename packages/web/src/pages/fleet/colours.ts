import type { FleetActivity, FleetNodeShape } from "@tessera/wire";
import { lookOfAccount, looksOfNames, type Places } from "../../chart/colours.ts";
import { colourOf } from "../../design/hues.ts";
import { meanings } from "../../design/meanings.ts";
import { heatNames, isMeasure, type Measure, measures, notMeasured, wordOfValue, wordsOfMeasure } from "./heat.ts";
import { isUnheld, sharesOf } from "./summary.ts";

export const colourings = ["class", "tenant", "mode", "model", ...measures] as const;
export type Colouring = (typeof colourings)[number];

/** The word of one GPU; GPUs with the same word have the same colour. */
export type Words = (node: FleetNodeShape, gpu: number) => string;

/** The words of a colouring. `measured`: what is known by now, for those that show it. */
export function wordsBy(by: Colouring, measured: FleetActivity | undefined): Words {
  if (isMeasure(by)) return (node, gpu) => measuredWord(node, gpu, by, measured);
  return (node, gpu) => heldWord(node, gpu, node.cells[gpu]!, by);
}

/** What was not measured is a state of its own: it is not 0. */
function measuredWord(node: FleetNodeShape, gpu: number, by: Measure, measured: FleetActivity | undefined): string {
  const letter = node.cells[gpu]!;
  if (measured?.whole === false && isUnheld(letter)) return "not leased";
  if (measured?.whole === false && letter.toLowerCase() === "x") return "other tenants";
  // The answer for the metric chosen before is shown until that for this one is there.
  const value = measured?.metric === by ? measured.nodes[node.name]?.[gpu] : undefined;
  return value === undefined || value === null ? notMeasured : wordOfValue(by, value);
}

/** `letter` is that of the GPU, or of a part of it. */
function heldWord(node: FleetNodeShape, gpu: number, letter: string, by: Exclude<Colouring, Measure>): string {
  switch (by) {
    case "class":
      return isUnheld(letter) && node.mode !== "up" ? node.mode : classWords[letter.toLowerCase()]!;
    case "tenant": {
      if (isUnheld(letter)) return node.mode === "up" ? classWords[letter]! : node.mode;
      const holder = node.holders?.[gpu] ?? -1;
      return holder < 0 ? "other tenants" : tenantWord(node.tenants![holder]!);
    }
    case "mode":
      return node.mode;
    case "model":
      return node.model;
  }
}

const classWords: Readonly<Record<string, string>> = {
  ...{ g: "guaranteed", b: "burst", l: "leaving", x: "other tenants" },
  ...{ ".": "idle", r: "reserved", w: "withheld" },
};

const tenantMark = " (tenant)";

/** A tenant may be called like a state. */
function tenantWord(path: string): string {
  return Object.hasOwn(fixed, path) ? `${path}${tenantMark}` : path;
}

function pathOf(word: string): string {
  return word.endsWith(tenantMark) ? word.slice(0, -tenantMark.length) : word;
}

const idleColour = "var(--map-idle)";
const { mode: modes, class: classes, metric } = meanings;

/** CSS colours of the states that one map can show together. */
export const stateColours = {
  idle: idleColour,
  reserved: colourOf(metric.reserved),
  withheld: colourOf("violet"),
  guaranteed: colourOf(classes.guaranteed),
  burst: colourOf(classes.burst),
  leaving: colourOf(classes.leaving),
  "other tenants": colourOf("grey"),
  up: colourOf(modes.up),
  cordoned: colourOf(modes.cordoned),
  draining: colourOf(modes.draining),
  maintenance: colourOf(modes.maintenance),
  down: colourOf(modes.down),
  unknown: colourOf(modes.unknown),
} as const;

const fixed: Readonly<Record<string, string>> = {
  ...stateColours,
  "not leased": idleColour,
  [notMeasured]: "var(--map-unmeasured)",
  ...Object.fromEntries(Object.entries(heatNames).map(([word, name]) => [word, `var(${name})`])),
};

/**
 * A CSS colour for each word: fixed for states, that of charts for accounts, and by name for others, such as models. The
 * order of the words does not matter.
 */
export function coloursOf(words: readonly string[], places: Places | undefined): Map<string, string> {
  const names = words.filter((word) => !Object.hasOwn(fixed, word));
  const looks =
    places === undefined
      ? looksOfNames(names)
      : new Map(names.map((word) => [word, lookOfAccount(pathOf(word), places)]));
  return new Map(words.map((word) => [word, looks.get(word)?.colour ?? fixed[word]!]));
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
      // By class, a GPU that is held in parts counts as these; otherwise with the colour that it has.
      const shares = by === "class" ? sharesOf(node, gpu) : ([[node.cells[gpu]!, 1]] as const);
      for (const [letter, part] of shares) {
        const word = by === "class" ? heldWord(node, gpu, letter, by) : words(node, gpu);
        counts.set(word, (counts.get(word) ?? 0) + part);
      }
    }
  }
  const legend = [...counts].map(([word, gpus]) => ({ word, gpus })).sort((a, b) => b.gpus - a.gpus);
  if (!isMeasure(by)) return legend;
  const places = new Map(wordsOfMeasure(by).map((word, place) => [word, place]));
  const placeOf = (word: string) => places.get(word) ?? places.size;
  return legend.sort((a, b) => placeOf(a.word) - placeOf(b.word));
}
