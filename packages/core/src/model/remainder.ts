import type { AccountNo } from "./ids.ts";
import type { Instant } from "./units.ts";

/** The unused units of a GPU on a node that a confidential tenant has to itself; it pays for them too [U3]. */
export interface NodeRemainder {
  readonly account: AccountNo;
  readonly units: number;
  readonly since: Instant;
}
