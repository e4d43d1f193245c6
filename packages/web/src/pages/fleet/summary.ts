import type { FleetNodeShape } from "@tessera/wire";

export interface FleetSummary {
  readonly nodes: number;
  readonly gpus: number;
  /** GPUs by use, parts of them as parts: as the server counts them. */
  readonly guaranteed: number;
  readonly burst: number;
  readonly leaving: number;
  readonly others: number;
  readonly idle: number;
  readonly reserved: number;
  readonly unusable: number;
  readonly nodesUp: number;
}

const uses = {
  g: "guaranteed",
  b: "burst",
  l: "leaving",
  x: "others",
  ".": "idle",
  r: "reserved",
  w: "unusable",
} as const;

/** A letter of the map, and how much of its GPU it stands for. */
export type Share = readonly [letter: keyof typeof uses, gpus: number];

/** What a GPU is up to: of one that is held in parts, each part, and the rest. */
export function sharesOf({ cells, parts }: FleetNodeShape, gpu: number): readonly Share[] {
  const shares = parts?.[gpu] ?? { [cells[gpu]!.toLowerCase()]: 1 };
  return Object.entries(shares) as unknown as Share[];
}

/** Whether a letter stands for what no job holds. */
export function isUnheld(letter: string): boolean {
  return letter === "." || letter === "r" || letter === "w";
}

/** Counts the fleet's letters. */
export function summarise(nodes: readonly FleetNodeShape[]): FleetSummary {
  const sum = { guaranteed: 0, burst: 0, leaving: 0, others: 0, idle: 0, reserved: 0, unusable: 0 };
  let [gpus, nodesUp] = [0, 0];
  for (const node of nodes) {
    if (node.mode === "up") nodesUp++;
    gpus += node.cells.length;
    for (let gpu = 0; gpu < node.cells.length; gpu++)
      for (const [letter, part] of sharesOf(node, gpu))
        sum[node.mode !== "up" && isUnheld(letter) ? "unusable" : uses[letter]] += part;
  }
  return { nodes: nodes.length, gpus, nodesUp, ...sum };
}
