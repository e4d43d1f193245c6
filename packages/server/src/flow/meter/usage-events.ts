import { setImmediate } from "node:timers/promises";
import { type Account, tenantOfPath, type Usage } from "@tessera/core";
import type { UsageEvent } from "@tessera/wire";
import type { BookRow } from "../../store/port.ts";
import type { ControlPlane } from "../control.ts";
import { belongsTo } from "../find/find-job.ts";

/** The place of a usage record in the journal. */
export type UsagePlace = Pick<BookRow, "seq" | "index">;

/** A usage record and its place. */
export interface PlacedUsage {
  readonly place: UsagePlace;
  readonly usage: Usage;
}

const rowsPerLook = 500;

/**
 * The usage records of some accounts after the place `after`, in journal order, at most `limit`. `seen` is the last
 * place that was read: continuing from there misses nothing.
 */
export async function usageAfter(
  { reader, state }: Pick<ControlPlane, "reader" | "state">,
  accounts: readonly Account[],
  after: UsagePlace | undefined,
  limit: number,
): Promise<{ readonly found: PlacedUsage[]; readonly seen: UsagePlace | undefined; readonly more: boolean }> {
  const tenants = new Set(accounts.map(({ path }) => tenantOfPath(path)));
  const [tenant] = tenants;
  const isOne = tenants.size === 1 && tenant !== undefined && tenant !== "";
  const query = { kind: "usage", limit: rowsPerLook, ...(isOne && { tenant }) };
  const found: PlacedUsage[] = [];
  let seen = after;
  for (;;) {
    const rows = await reader.books({ ...query, ...(seen !== undefined && { after: seen }) });
    for (const { seq, index, doc } of rows) {
      if (found.length === limit) return { found, seen, more: true };
      const usage = JSON.parse(doc) as Usage;
      seen = { seq, index };
      if (belongsTo(state, accounts, usage.account, usage.fromAt)) found.push({ place: seen, usage });
    }
    if (rows.length < rowsPerLook) return { found, seen, more: false };
    await setImmediate(); // thousands of rows may belong to others: in between, requests are answered
  }
}

/** A usage record as a CloudEvent. A client resumes with the cursor of the last event that it has. */
export function usageEvent({ place, usage }: PlacedUsage, cursorOf: (place: UsagePlace) => string): UsageEvent {
  const { fromAt, toAt, gpus, ...rest } = usage;
  const { lease, state, revision, account } = usage;
  return {
    specversion: "1.0",
    id: `${lease}/${fromAt}/${state}/${revision}`,
    source: "/tessera",
    type: "tessera.usage",
    subject: account,
    time: new Date(toAt).toISOString(),
    datacontenttype: "application/json",
    cursor: cursorOf(place),
    data: { ...rest, gpus: [...gpus], from: new Date(fromAt).toISOString(), to: new Date(toAt).toISOString() },
  };
}
