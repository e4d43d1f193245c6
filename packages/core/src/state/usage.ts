import type { AccountNo } from "../model/ids.ts";
import { noAccount } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import type { State } from "./state.ts";

/** What an account's subtree holds right now: starting, running, stopping and not yet confirmed dead. */
export interface AccountUsage {
  units: number;
  /** By model number. */
  readonly byModel: number[];
  cpusMilli: number;
  memoryMiB: number;
}

export function nothingUsed(): AccountUsage {
  return { units: 0, byModel: [], cpusMilli: 0, memoryMiB: 0 };
}

/** Counts a lease in (`sign` 1) or out (-1) on its account and everything above. */
export function countLease(state: State, account: AccountNo, lease: Lease, sign: 1 | -1): void {
  const { fleet } = state;
  for (let at = account; at !== noAccount; at = state.accounts[at]!.parent) {
    const usage = state.usage[at]!;
    usage.units += sign * lease.unitsEach * lease.gpus.length;
    usage.cpusMilli += sign * lease.cpusMilli;
    usage.memoryMiB += sign * lease.memoryMiB;
    for (const gpu of lease.gpus) {
      const model = fleet.gpuModel[gpu] as number;
      while (usage.byModel.length <= model) usage.byModel.push(0);
      usage.byModel[model]! += sign * lease.unitsEach;
    }
  }
}
