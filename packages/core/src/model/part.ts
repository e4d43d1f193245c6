import type { Trust } from "./account.ts";

/** How the GPUs of a pool are partitioned; `any` changes on demand. */
export const poolModes = ["any", "whole", "mig", "mps", "timeslice"] as const;
export type PoolMode = (typeof poolModes)[number];

/** Strongest isolation first. */
export const partModes = ["mig", "mps", "timeslice"] as const;
export type PartMode = (typeof partModes)[number];

/** How the GPUs of a node are shared, all said: by its pool, by its engine, and by what it offers. */
export interface Sharing {
  /** The mode in force. */
  readonly mode: PoolMode;
  /** The modes in which its GPUs may be divided, strongest isolation first; empty = whole GPUs only. */
  readonly modes: readonly PartMode[];
  /** So many times as much compute as a GPU has is given out by time slices [U5]. */
  readonly ratio: number;
  /** The least trust of a tenant whose parts come here; absent = every tenant. */
  readonly trust?: Trust;
  /** Its GPUs may have been partitioned otherwise before: the mode changes on demand, or the owner chose it. */
  readonly recut: boolean;
  /** The same for the same values. */
  readonly key: string;
}

export interface PartSeat {
  readonly mode: PartMode;
  readonly compute: number;
  readonly memory: number;
  readonly slot?: number;
  readonly profile?: string;
}
