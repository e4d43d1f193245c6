import type { Trust } from "./account.ts";
import type { PoolMode } from "./part.ts";
import type { Instant } from "./units.ts";

/** Beyond this, tenants of one GPU wait for each other longer than they compute. */
export const ratioMax = 4;

/** Nodes of the fleet that have all of these labels, for some tenants, at a price of their own. */
export interface PoolTerms {
  /** A key and the value that it must have; `engine` and `region` count as labels of every node. */
  readonly labels: { readonly [key: string]: string };
  /** Paths of the accounts at and below which jobs may use these nodes; absent = all. */
  readonly tenants?: readonly string[];
  /** What the price of use beyond guarantees is multiplied by, in thousandths; 1000 changes nothing. */
  readonly perMille: number;
  /** How GPUs may be partitioned here; absent = as the node says. */
  readonly mode?: PoolMode;
  /** By time slices: how often the compute of a GPU is given out, 1 to 4; absent = 1. */
  readonly ratio?: number;
  /** The least trust of a tenant whose parts come here; absent = every tenant. */
  readonly trust?: Trust;
}

/** A pool as the journal knows it. A node that matches several belongs to the first of them by name. */
export interface Pool {
  readonly name: string;
  readonly terms: PoolTerms;
  readonly createdAt: Instant;
  readonly changedAt: Instant;
  readonly revision: number;
}
