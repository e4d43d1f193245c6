import type { LeaseId } from "@tessera/core";

/** What really ran, as the machines know it: for checkers that must not take the control plane's word. */
export interface Ran {
  readonly lease: LeaseId;
  readonly node: string;
  readonly gpuUuids: readonly string[];
  readonly from: number;
  /** Undefined while it runs. */
  to?: number;
  /** How it ended: an exit code, the signal that ended it, or `lost` with its node. */
  exit?: number | string;
}
