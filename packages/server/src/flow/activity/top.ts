import type { Instant, UserId } from "@tessera/core";
import { idleBelow } from "@tessera/telemetry";
import type { TopRow, TopView } from "@tessera/wire";
import { gpusOf, timestamp } from "../../render/quantities.ts";
import type { Holding } from "./holding.ts";
import { Sum } from "./sum.ts";

type By = TopView["by"];
export type Order = "gpus" | "activity" | "idle" | "memory" | "power";

export interface TopAsk {
  readonly by: By;
  readonly order: Order;
  readonly limit: number;
  readonly now: Instant;
}

/** What holds GPUs now and how busy it is, added up by job, user, account or GPU. */
export function topOf(
  holdings: readonly Holding[],
  unleased: readonly TopRow[],
  { by, order, limit, now }: TopAsk,
  nameOfUser: (id: UserId) => string,
): TopView {
  const groups = new Map<string, { readonly first: Holding; readonly sum: Sum }>();
  const total = new Sum();
  for (const holding of holdings) {
    const of = groupOf(holding, by);
    const group = groups.get(of) ?? { first: holding, sum: new Sum() };
    groups.set(of, group);
    group.sum.add(holding);
    total.add(holding);
  }
  const held = [...groups.values()].map(
    ({ first, sum }): TopRow => ({
      ...labelsOf(first, by, nameOfUser),
      ...(total.units > 0 && { share: tenths((sum.units / total.units) * 100) }),
      state: stateOf(sum),
      ...measuresOf(sum),
    }),
  );
  const rows = [...held, ...(by === "gpu" ? unleased : [])].sort(
    (one, other) => compareBy(order, one, other) || (one.key < other.key ? -1 : 1),
  );
  return {
    at: timestamp(now),
    by,
    rows: rows.slice(0, limit),
    leftOut: Math.max(0, rows.length - limit),
    total: measuresOf(total),
  };
}

function groupOf({ job, user, account, gpu, lease }: Holding, by: By): string {
  if (by === "job") return job;
  if (by === "user") return user;
  return by === "account" ? String(account) : `${gpu} ${lease}`;
}

function labelsOf(holding: Holding, by: By, nameOfUser: (id: UserId) => string) {
  const { job, jobName, accountPath: account, gpu, node, model } = holding;
  const user = nameOfUser(holding.user) || holding.user;
  switch (by) {
    case "account":
      return { key: account };
    case "user":
      return { key: holding.user, name: user };
    case "job":
      return { key: job, name: jobName, account, user };
    case "gpu":
      return { key: gpu, job, name: jobName, node, model, account, user };
  }
}

function stateOf(sum: Sum): TopRow["state"] {
  const { activity } = sum;
  if (activity === undefined) return "unmeasured";
  return activity < idleBelow ? "idle" : "busy";
}

function measuresOf(sum: Sum) {
  const { activity, memoryUsedMiB, memoryMiB, powerMilliwatts } = sum;
  return {
    gpus: gpusOf(sum.units),
    measuredGpus: gpusOf(sum.measuredUnits),
    ...(activity !== undefined && { activity: tenths(activity / 100) }),
    ...(memoryUsedMiB !== undefined && { memoryUsedMiB, memoryMiB }),
    ...(powerMilliwatts !== undefined && { powerWatts: tenths(powerMilliwatts / 1_000) }),
    ...(sum.simulated && { simulated: true as const }),
  };
}

const valueBy: Readonly<Record<Order, (row: TopRow) => number | undefined>> = {
  gpus: ({ gpus }) => gpus,
  activity: ({ activity }) => activity,
  idle: ({ activity, gpus }) => (activity === undefined ? undefined : gpus * (100 - activity)),
  memory: ({ memoryUsedMiB }) => memoryUsedMiB,
  power: ({ powerWatts }) => powerWatts,
};

/** The most first; what was not measured comes last, whatever is asked for. */
function compareBy(order: Order, one: TopRow, other: TopRow): number {
  const [a, b] = [valueBy[order](one), valueBy[order](other)];
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return b - a;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
