/** How a pool's GPUs are given out; `any` is re-shaped on demand. */
export type PoolMode = "any" | "whole" | "mig" | "mps" | "timeslice";

export type PartMode = "mig" | "mps" | "timeslice";

export interface PartSeat {
  readonly mode: PartMode;
  readonly compute: number;
  readonly memory: number;
  readonly slot?: number;
  readonly profile?: string;
}
