import type { FleetNodeShape } from "@tessera/wire";

export interface FleetSummary {
  readonly nodes: number;
  readonly gpus: number;
  /** Whole GPUs by use; a shared GPU counts with its holder. */
  readonly guaranteed: number;
  readonly burst: number;
  readonly leaving: number;
  readonly others: number;
  readonly idle: number;
  readonly unusable: number;
  readonly nodesUp: number;
}

/** Whether what is idle there is of no use to anyone. */
export function isOut({ mode }: Pick<FleetNodeShape, "mode">): boolean {
  return mode === "down" || mode === "maintenance" || mode === "unknown";
}

/** Counts the fleet's letters. */
export function summarise(nodes: readonly FleetNodeShape[]): FleetSummary {
  const sum = { gpus: 0, guaranteed: 0, burst: 0, leaving: 0, others: 0, idle: 0, unusable: 0, nodesUp: 0 };
  for (const node of nodes) {
    if (node.mode === "up") sum.nodesUp++;
    sum.gpus += node.cells.length;
    for (const letter of node.cells) {
      switch (letter) {
        case "g":
        case "G":
          sum.guaranteed++;
          break;
        case "b":
        case "B":
          sum.burst++;
          break;
        case "l":
        case "L":
          sum.leaving++;
          break;
        case "x":
        case "X":
          sum.others++;
          break;
        default:
          if (isOut(node)) sum.unusable++;
          else sum.idle++;
      }
    }
  }
  return { nodes: nodes.length, ...sum };
}
