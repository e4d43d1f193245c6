import type { FleetNodeShape } from "@tessera/wire";

export const colourings = ["class", "tenant", "mode", "model"] as const;
export type Colouring = (typeof colourings)[number];

/** The word of one GPU under a colouring; GPUs with the same word have the same colour. */
export function wordOf(node: FleetNodeShape, gpu: number, by: Colouring): string {
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

/** How many GPUs each word stands for, the most first. */
export function legendOf(nodes: readonly FleetNodeShape[], by: Colouring): { word: string; gpus: number }[] {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    for (let gpu = 0; gpu < node.cells.length; gpu++) {
      const word = wordOf(node, gpu, by);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].map(([word, gpus]) => ({ word, gpus })).sort((a, b) => b.gpus - a.gpus);
}
