import type { AccountNo } from "./ids.ts";
import type { Instant } from "./units.ts";
/** What is left of a GPU of a node that a confidential tenant has to itself, and since when; it pays for that too [U3]. */
export interface NodeRemainder {
  readonly account: AccountNo;
  readonly units: number;
  readonly since: Instant;
}
