import { day, hour } from "@tessera/core";

/** The ranges that the console offers, with the steps that it asks for of what is counted. */
export const ranges = {
  "1h": { length: hour, coarse: "5m" },
  "6h": { length: 6 * hour, coarse: "15m" },
  "1d": { length: day, coarse: "60m" },
  "7d": { length: 7 * day, coarse: "360m" },
  "30d": { length: 30 * day, coarse: "1440m" },
  "90d": { length: 90 * day, coarse: "4320m" },
} as const;
export type RangeName = keyof typeof ranges;

/** A question of `GET /v1/series`. */
export type Ask = Readonly<Record<string, string>>;

/** A chart of the console: it is there when all of its questions are answered. */
export interface Chart {
  readonly title: string;
  readonly as: "owner" | "tenant-admin";
  readonly asks: readonly Ask[];
  /** In few long steps. */
  readonly coarse?: true;
  /** With the period before. */
  readonly compared?: true;
}

const fleet: readonly Ask[] = [
  { metric: "allocated", by: "class" },
  { metric: "reserved" },
  { metric: "down" },
  { metric: "idle" },
  { metric: "busy" },
];
const held: readonly Ask[] = [{ metric: "allocated" }, { metric: "guarantee" }, { metric: "max" }];
const moved = [{ metric: "burst" }, { metric: "lent" }];

/** Every chart of the console, for the owner of the fleet and the administrator of a tenant. */
export function chartsOf(tenant: string, model: string): readonly Chart[] {
  const owner = (title: string, asks: readonly Ask[], how: Partial<Chart> = {}): Chart => ({
    ...{ title, as: "owner", asks, ...how },
  });
  const admin = (title: string, asks: readonly Ask[], how: Partial<Chart> = {}): Chart => ({
    ...{ title: `${title}, of a tenant`, as: "tenant-admin", asks, ...how },
  });
  const counted = { coarse: true } as const;
  const compared = { compared: true } as const;
  const ofModel = ["allocated", "guarantee", "max"].map((metric) => ({ metric, by: "model", account: tenant }));
  return [
    owner("the fleet over time", fleet),
    owner("the fleet over time and the period before", fleet, compared),
    owner("waiting by reason", [{ metric: "waiting", by: "reason" }]),
    owner("waiting by team", [{ metric: "waiting", by: "team" }]),
    owner("wait p50 by tenant", [{ metric: "wait_p50", by: "account" }], counted),
    owner("wait p50 by team", [{ metric: "wait_p50", by: "team" }], counted),
    owner("wait p90 by team", [{ metric: "wait_p90", by: "team" }], counted),
    owner("held against guarantee and max", held),
    owner("held against guarantee and max and the period before", held, compared),
    owner(`held against guarantee and max, ${model}`, ofModel),
    owner("burst and lent", moved),
    owner("held by tenant", [{ metric: "allocated", by: "account" }]),
    owner("held inside a tenant", [{ metric: "allocated", by: "account", account: tenant }]),
    owner("largest gang in a rack", [{ metric: "largest_gang", by: "model", level: "rack" }]),
    owner("fragmentation", [{ metric: "fragmentation", by: "model" }]),
    owner("sent back by cause", [{ metric: "preemptions", by: "cause" }], counted),
    owner("ends by outcome", [{ metric: "ends", by: "outcome" }], counted),
    owner("ends by outcome and the period before", [{ metric: "ends", by: "outcome" }], { ...counted, ...compared }),
    owner("money by account", [{ metric: "spend", by: "account" }]),
    owner("money by account and the period before", [{ metric: "spend", by: "account" }], compared),
    owner("money by model", [{ metric: "spend", by: "model" }]),
    admin("held by class", [{ metric: "allocated", by: "class" }]),
    admin("waiting by reason", [{ metric: "waiting", by: "reason" }]),
    admin("wait p90", [{ metric: "wait_p90", by: "account" }], counted),
    admin("held against guarantee and max", held),
    admin("burst and lent", moved),
    admin("held inside", [{ metric: "allocated", by: "account" }]),
    admin("money by account", [{ metric: "spend", by: "account" }]),
  ];
}
