import type { Fleet } from "../fleet/fleet.ts";
import type { Quota } from "../model/account.ts";
import type { AccountTree } from "./accounts.ts";
import type { AccountUsage } from "./held.ts";

/** The part of State that quota questions are answered from. */
export interface QuotaFacts extends AccountTree {
  readonly fleet: Fleet;
  /** What each account's subtree holds, by account number. */
  readonly usage: AccountUsage[];
  /** Guarantees as they were last summed up, by account number. */
  readonly floors: (Floor | undefined)[];
  /** How many accounts lend only a part of their idle guarantee. */
  lendingLimits: number;
  /** The GPU models that the guarantees of those accounts name, and in how many of them. */
  readonly lendingNames: Map<string, number>;
}

/** A guarantee as amounts are compared with it: summed up, with the cores and memory that come with its GPUs. */
export interface Floor {
  readonly of: Quota;
  /** The composition of the fleet for which it was summed up. */
  readonly composition: number;
  readonly units: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** Only `*`: all models are alike. */
  readonly plain: boolean;
}
