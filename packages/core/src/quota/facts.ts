import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { Quota } from "../model/account.ts";
import type { AccountTree } from "./accounts.ts";
import type { AccountUsage } from "./held.ts";

/** The part of State that quota questions are answered from. */
export interface QuotaFacts extends AccountTree {
  readonly fleet: ReadonlyFleet;
  /** The usage of each account's subtree, by account number. */
  readonly usage: readonly AccountUsage[];
  /** Memo of `floorOf`, by account number. */
  readonly floors: (Floor | undefined)[];
  /** The number of accounts that lend only a part of their idle guarantee [C5]. */
  readonly lendingLimits: number;
  /** The GPU names in the guarantees of those accounts, each with the number of guarantees that have it. */
  readonly lendingNames: ReadonlyMap<string, number>;
}

/** A guarantee summed up for comparison, with the cores and memory that come with its GPUs [U2]. */
export interface Floor {
  readonly of: Quota;
  /** The fleet's composition when it was summed up. */
  readonly composition: number;
  readonly units: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** The guarantee has only a `*` entry, so models need not be distinguished. */
  readonly plain: boolean;
}
