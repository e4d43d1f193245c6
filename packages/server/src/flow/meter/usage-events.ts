import { type Account, tenantOfPath, type Usage } from "@tessera/core";
import type { UsageEvent } from "@tessera/wire";
import type { BookRow } from "../../store/port.ts";
import type { ControlPlane } from "../control.ts";
import { belongsTo } from "../find/find-job.ts";

/** The place of a metered stretch in the journal. */
export type UsagePlace = Pick<BookRow, "seq" | "index">;

/** One metered stretch, and where it stands. */
export interface PlacedUsage {
  readonly place: UsagePlace;
  readonly usage: Usage;
}

const rowsPerLook = 1_000;

/**
 * Closed stretches of some accounts in the order of the journal, from behind `after` on: at most `limit` of them, and
 * the place up to which was looked, so that going on from there misses nothing.
 */
export async function usageAfter(
  { reader, state }: Pick<ControlPlane, "reader" | "state">,
  accounts: readonly Account[],
  after: UsagePlace | undefined,
  limit: number,
): Promise<{ readonly found: PlacedUsage[]; readonly seen: UsagePlace | undefined; readonly more: boolean }> {
  const tenants = new Set(accounts.map(({ path }) => tenantOfPath(path)));
  const [tenant] = tenants;
  const query = { kind: "usage", limit: rowsPerLook, ...(tenants.size === 1 && tenant !== "" && { tenant: tenant! }) };
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
  }
}

/** A stretch as a CloudEvent; whoever resumes gives back the cursor of the last one it has. */
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
