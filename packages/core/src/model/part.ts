/** How the GPUs of a pool are partitioned; `any` changes on demand. */
export type PoolMode = "any" | "whole" | "mig" | "mps" | "timeslice";

export type PartMode = "mig" | "mps" | "timeslice";

export interface PartSeat {
  readonly mode: PartMode;
  readonly compute: number;
  readonly memory: number;
  readonly slot?: number;
  readonly profile?: string;
}
