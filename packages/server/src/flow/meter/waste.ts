import {
  currencyOf,
  type Instant,
  type PriceVersion,
  type ReadonlyState,
  versionAt,
  type WasteDevice,
  type WasteUse,
  wasteOf,
} from "@tessera/core";
import type { WasteReport } from "@tessera/wire";
import type { DeviceRow, StoreReader, UsageRow } from "../../store/port.ts";
import { readLost } from "../bill/bill.ts";
import { type ActivityBetween, addActivity, type LeaseActivity } from "./activity.ts";
import { oversizedOf } from "./oversized.ts";
import { mineOf, type OpenStretches, type UsageAsk, usedIn, withNames } from "./usage.ts";
import { WasteSums } from "./waste-sums.ts";

type By = WasteReport["by"];

export interface WasteAsk extends Omit<UsageAsk, "by"> {
  readonly by: By;
}

interface Names {
  readonly ofUser: (id: string) => string;
  readonly ofLiveJob: (id: string) => string | undefined;
}

/** The report: leases and devices of the store, open stretches of the replica, and what telemetry measured. */
export async function wasteReport(
  reader: Pick<StoreReader, "usage" | "devices" | "books" | "job">,
  { fleet, books: { versions } }: Pick<ReadonlyState, "fleet" | "books">,
  open: OpenStretches,
  ask: WasteAsk,
  activityBetween: ActivityBetween,
  names: Names,
): Promise<Omit<WasteReport, "free" | "unfit">> {
  const used = mineOf(await usedIn(reader, open, ask), ask);
  const devices = ask.fleet ? (await reader.devices(ask.from, ask.to)).filter((row) => row.seq <= open.seq) : [];
  // What was lost after the span may have been done in it.
  const lost = await readLost(reader, ask.from, open.clock + 1);
  const facts = {
    used: used.map((row): WasteUse => ({ ...row, key: useKey(row, ask.by, names) })),
    devices: devices.map((row): WasteDevice => ({ ...row, key: deviceKey(row, ask.by) })),
    lost,
  };
  const sums = new WasteSums();
  const activity = new Map<string, LeaseActivity>();
  for (const { list, ...span } of pricedSpans(versions, ask)) {
    const measured = await activityBetween(span.from, span.to);
    addActivity(activity, measured);
    sums.add(wasteOf({ ...facts, measured }, span), list);
  }
  const oversized = oversizedOf(used, activity, { fleet }, versionAt({ versions, contracts: [] }, ask.to), ask);
  const rows = sums.rows();
  return {
    from: new Date(ask.from).toISOString(),
    to: new Date(ask.to).toISOString(),
    by: ask.by,
    currency: currencyOf(versions),
    rows: ask.by === "job" ? await withNames(rows, reader, names.ofLiveJob, ({ unitMs }) => unitMs) : rows,
    total: sums.total(),
    ...(ask.fleet && { capacity: sums.capacityIn(ask.to - ask.from) }),
    oversized: await Promise.all(oversized.map((each) => named(each, reader, names))),
  };
}

/** The parts of a span in which one price list holds; before the first list nothing has a price. */
function pricedSpans(
  versions: readonly PriceVersion[],
  { from, to }: { readonly from: Instant; readonly to: Instant },
) {
  const changes = versions.map(({ fromAt }) => fromAt).filter((at) => at > from && at < to);
  const edges = [from, ...new Set(changes), to];
  return edges.slice(1).map((end, i) => {
    const list = versionAt({ versions, contracts: [] }, edges[i]!);
    return { from: edges[i]!, to: end, list };
  });
}

function useKey(row: UsageRow, by: By, { ofUser }: Names): string {
  return by === "user" ? ofUser(row.user) || row.user : row[by];
}

/** Devices belong to no account, user or job. */
function deviceKey(row: DeviceRow, by: By): string {
  return by === "node" || by === "model" ? row[by] : "";
}

async function named<Row extends { readonly job: string }>(
  row: Row,
  reader: Pick<StoreReader, "job">,
  { ofLiveJob }: Names,
): Promise<Row & { name?: string }> {
  const name = ofLiveJob(row.job) ?? (await reader.job(row.job))?.name;
  return name === undefined ? row : { ...row, name };
}
