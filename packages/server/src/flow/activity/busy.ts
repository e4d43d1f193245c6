import {
  type Account,
  type AccountId,
  findNode,
  type Instant,
  isInside,
  isRefusal,
  type JobId,
  type ReadonlyState,
  recordName,
  type UserId,
} from "@tessera/core";
import type { BusyRow as StoredRow, TelemetryStore } from "@tessera/telemetry";
import type { BusyReport, BusyRow } from "@tessera/wire";
import { timestamp } from "../../render/quantities.ts";

export interface BusyAsk {
  readonly by: BusyReport["by"];
  readonly from: Instant;
  readonly to: Instant;
  /** What is at them and below counts; what no lease held never does. */
  readonly accounts: readonly Account[];
  readonly job?: JobId;
}

/** What samples say of the GPU time of these accounts, under the same keys as the usage report. */
export async function busyReport(
  store: Pick<TelemetryStore, "busy"> | undefined,
  state: ReadonlyState,
  { by, from, to, accounts, job }: BusyAsk,
  nameOfUser: (id: UserId) => string,
): Promise<BusyReport> {
  const filter = { accounts: idsWithin(state, accounts), ...(job !== undefined && { job }) };
  const stored = (await store?.busy({ by, from, to, filter })) ?? [];
  const keyOf = keysInBooks(state, by, nameOfUser);
  return {
    ...{ from: timestamp(from), to: timestamp(to), by },
    rows: stored.map((row) => rendered(row, keyOf(row.key))).sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
}

/** These accounts and all below them. */
function idsWithin(state: ReadonlyState, accounts: readonly Account[]): Set<AccountId> {
  const ids = new Set<AccountId>();
  for (const account of state.accounts)
    if (account !== undefined && accounts.some(({ no }) => isInside(state, account.no, no))) ids.add(account.id);
  return ids;
}

/** What the books call the thing that samples know by this key. */
function keysInBooks(
  state: ReadonlyState,
  by: BusyReport["by"],
  nameOfUser: (id: UserId) => string,
): (key: string) => string {
  const { fleet } = state;
  switch (by) {
    case "account":
      return (key) => state.accountById.get(key as AccountId)?.path ?? key;
    case "user":
      return (key) => nameOfUser(key as UserId) || key;
    case "job":
    case "gpu":
      return (key) => key;
    case "node":
      return (key) => {
        const node = findNode(fleet, key);
        return isRefusal(node) ? key : recordName(fleet, node.facts);
      };
  }
}

function rendered(
  { measuredMs, busyMs, idleMs, memoryPeakMiB, energyMillijoules, simulated }: StoredRow,
  key: string,
): BusyRow {
  return {
    ...{ key, measuredMs: Math.round(measuredMs), busyMs: Math.round(busyMs), idleMs: Math.round(idleMs) },
    ...(memoryPeakMiB !== undefined && { memoryPeakMiB }),
    ...(energyMillijoules !== undefined && { energyJoules: Math.round(energyMillijoules / 1_000) }),
    ...(simulated && { simulated }),
  };
}
