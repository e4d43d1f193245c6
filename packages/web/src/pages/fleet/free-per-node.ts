import type { FleetNodeShape } from "@tessera/wire";

/** How many nodes that are up have 1, 2, … whole free GPUs, up to the most that any has. */
export function freePerNode(nodes: readonly FleetNodeShape[]): { readonly free: number; readonly nodes: number }[] {
  const counts = new Map<number, number>();
  for (const { mode, cells } of nodes) {
    if (mode !== "up") continue;
    let free = 0;
    for (const letter of cells) if (letter === ".") free++;
    if (free > 0) counts.set(free, (counts.get(free) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.keys());
  return Array.from({ length: most }, (_, no) => ({ free: no + 1, nodes: counts.get(no + 1) ?? 0 }));
}
