import { day, hour, minute } from "@tessera/core";
import type { RollUpQuery } from "@tessera/server";
import { type accountsOf, root } from "./generate.ts";

/** The ranges that the console offers, with the steps that the server takes for them, and those for what is counted. */
export const ranges = {
  "1h": { length: hour, stepMs: minute, coarseMs: 5 * minute },
  "6h": { length: 6 * hour, stepMs: minute, coarseMs: 15 * minute },
  "1d": { length: day, stepMs: 5 * minute, coarseMs: hour },
  "7d": { length: 7 * day, stepMs: hour, coarseMs: 6 * hour },
  "30d": { length: 30 * day, stepMs: 3 * hour, coarseMs: day },
  "90d": { length: 90 * day, stepMs: 6 * hour, coarseMs: 3 * day },
} as const;
export type RangeName = keyof typeof ranges;

type Chart = Pick<RollUpQuery, "name" | "kind" | "groups" | "byKey"> & { readonly title: string };

/** Every chart of the console, as the owner of the fleet sees it. */
export function chartsOf(accounts: ReturnType<typeof accountsOf>): Chart[] {
  const all = [{ key: "", plus: [root], minus: [] }];
  const byAccount = [
    ...accounts.map(({ id }) => ({ key: id, plus: [id], minus: [] })),
    { key: root, plus: [root], minus: accounts.map(({ id }) => id) },
  ];
  const byTeam = accounts.flatMap(({ teams }) => teams.map((team) => ({ key: team, plus: [team], minus: [] })));
  const whole = (title: string, name: RollUpQuery["name"], byKey: boolean, kind: RollUpQuery["kind"] = "gauge") => ({
    ...{ title, name, kind, byKey, groups: all },
  });
  const split = (
    title: string,
    name: RollUpQuery["name"],
    groups = byAccount,
    kind: RollUpQuery["kind"] = "gauge",
  ) => ({
    ...{ title, name, kind, byKey: false, groups },
  });
  return [
    whole("held by class", "allocated", true),
    whole("idle", "idle", false),
    whole("reserved", "reserved", false),
    whole("down", "down", false),
    whole("waiting by reason", "waiting", true),
    split("held by tenant", "allocated"),
    split("held by team", "allocated", byTeam),
    split("waiting by team", "waiting", byTeam),
    split("wait p50 by tenant", "waits", byAccount, { quantile: 0.5 }),
    split("wait p90 by team", "waits", byTeam, { quantile: 0.9 }),
    whole("guarantee", "guarantee", false),
    whole("lent", "lent", false),
    whole("largest gang", "largest.level", true),
    whole("fragmentation", "fragmentation", true, "quotient"),
    whole("sent back by cause", "preemptions", true, "counter"),
    whole("ends by outcome", "ends", true, "counter"),
  ];
}
