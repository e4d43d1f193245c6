import type { FleetNodeShape } from "@tessera/wire";

export const shapes = ["node", "nvlink", "rack", "block", "zone", "fleet"] as const;
export type Shape = (typeof shapes)[number];

export interface LargestGang {
  readonly model: string;
  /** GPUs of the largest gang that fits now inside one place of each level, and where. */
  readonly sizes: Readonly<Record<Shape, { readonly gpus: number; readonly at: string }>>;
}

/** The largest gang of whole GPUs that fits now, by model and shape. */
export function largestGangs(nodes: readonly FleetNodeShape[]): LargestGang[] {
  const byModel = Map.groupBy(nodes, ({ model }) => model);
  return [...byModel]
    .filter(([model]) => model !== "")
    .map(([model, alike]) => ({
      model,
      sizes: Object.fromEntries(shapes.map((shape) => [shape, most(alike, shape)])) as LargestGang["sizes"],
    }))
    .sort((a, b) => (a.model < b.model ? -1 : 1));
}

function freeOf({ mode, cells }: FleetNodeShape): number {
  if (mode !== "up") return 0;
  let free = 0;
  for (const letter of cells) if (letter === ".") free++;
  return free;
}

function placeOf(node: FleetNodeShape, shape: Shape): string {
  if (shape === "node") return node.name;
  // A gang never spans engines: places of two engines are two, and so are the engines as wholes.
  const parts = [node.engine, shape === "fleet" ? undefined : node[shape]];
  return parts.filter((part) => part !== undefined).join("/");
}

function most(nodes: readonly FleetNodeShape[], shape: Shape): { gpus: number; at: string } {
  const free = new Map<string, number>();
  for (const node of nodes) {
    const place = placeOf(node, shape);
    free.set(place, (free.get(place) ?? 0) + freeOf(node));
  }
  let best = { gpus: 0, at: "" };
  for (const [at, gpus] of free) if (gpus > best.gpus) best = { gpus, at };
  return best;
}
