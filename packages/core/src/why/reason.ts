import type { Instant } from "../model/units.ts";

/** Why a waiting job does not run: the first of these, in this order, that holds. */
export type ReasonKind =
  | "never"
  | "held"
  | "not-yet"
  | "dependency"
  | "budget"
  | "price"
  | "evicting"
  | "quota"
  | "capacity"
  | "shape"
  | "isolation"
  | "health"
  | "reservation"
  | "order";

export interface Reason {
  readonly kind: ReasonKind;
  /** One sentence with amounts and places. Names no account but the job's own path. */
  readonly detail: string;
  /** The account whose quota or limit stands in the way. */
  readonly account?: string;
  /** What there is too little of, where it is not the GPUs themselves. */
  readonly missing?: "cpus" | "memory" | "gpu_memory";
  readonly needed?: number;
  readonly free?: number;
  readonly until?: Instant;
}
