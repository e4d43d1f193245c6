import Type, { type Static } from "typebox";

/** What is drawn over time, with its unit. */
export const seriesMetrics = {
  activity: "%",
  /** What GPUs at work come to: activity, added up over those that are measured. */
  busy: "GPUs",
  tensor: "%",
  memory_activity: "%",
  memory_used: "GiB",
  power: "W",
  energy: "kWh",
  temperature: "°C",
  clock: "MHz",
  pcie: "MB/s",
  nvlink: "MB/s",
  encoder: "%",
  cpu: "cores",
  memory: "GiB",
  capacity: "GPUs",
  allocated: "GPUs",
  /** Held by jobs of the class burst: it can be taken back. */
  burst: "GPUs",
  reserved: "GPUs",
  idle: "GPUs",
  down: "GPUs",
  waiting: "GPUs",
  guarantee: "GPUs",
  max: "GPUs",
  lent: "GPUs",
  largest_gang: "GPUs",
  fragmentation: "%",
  wait_p50: "s",
  wait_p90: "s",
  starts: "jobs",
  ends: "jobs",
  preemptions: "jobs",
  spend: "micros",
} as const;
export type SeriesMetric = keyof typeof seriesMetrics;
export const seriesMetricNames = Object.keys(seriesMetrics) as SeriesMetric[];

/** One line for all of it, or one for each of these. */
export const seriesGroups = [
  "none",
  "account",
  /** The accounts below those of `account` where these are tenants: the teams of all that one sees. */
  "team",
  "user",
  "job",
  "rank",
  "node",
  "gpu",
  "model",
  "class",
  "reason",
  "outcome",
  "cause",
  "level",
] as const;
export type SeriesGroup = (typeof seriesGroups)[number];

/** The places inside which the largest gang is counted. */
export const gangLevels = ["node", "rack", "block", "fleet"] as const;
export type GangLevel = (typeof gangLevels)[number];

/**
 * What the journal knows, with the groups that each can be split into. What is of the whole fleet belongs to no account;
 * the others count an account and all below it.
 */
export const journalMetrics = {
  capacity: { by: ["none", "model"], ofFleet: true },
  reserved: { by: ["none", "model"], ofFleet: true },
  idle: { by: ["none", "model"], ofFleet: true },
  down: { by: ["none", "model"], ofFleet: true },
  largest_gang: { by: ["none", "model", "level"], ofFleet: true },
  fragmentation: { by: ["none", "model"], ofFleet: true },
  allocated: { by: ["none", "class", "account", "team", "model"], ofFleet: false },
  burst: { by: ["none", "account"], ofFleet: false },
  waiting: { by: ["none", "reason", "account", "team"], ofFleet: false },
  guarantee: { by: ["none", "account", "model"], ofFleet: false },
  max: { by: ["none", "account", "model"], ofFleet: false },
  lent: { by: ["none", "account"], ofFleet: false },
  wait_p50: { by: ["none", "account", "team"], ofFleet: false },
  wait_p90: { by: ["none", "account", "team"], ofFleet: false },
  starts: { by: ["none", "account"], ofFleet: false },
  ends: { by: ["none", "outcome", "account"], ofFleet: false },
  preemptions: { by: ["none", "cause", "account"], ofFleet: false },
} as const satisfies Partial<Record<SeriesMetric, { by: readonly SeriesGroup[]; ofFleet: boolean }>>;
export type JournalMetric = keyof typeof journalMetrics;

export function isJournalMetric(metric: SeriesMetric): metric is JournalMetric {
  return Object.hasOwn(journalMetrics, metric);
}

/** The groups that money can be split into, day by day. */
export const spendGroups = ["none", "account", "model", "class"] as const;

/** The groups that what was measured can be split into. */
export const measuredGroups = ["none", "account", "user", "job", "rank", "node", "gpu", "model"] as const;
export type MeasuredGroup = (typeof measuredGroups)[number];

export const SeriesLine = Type.Object({
  key: Type.String({ description: "The id or name that it stands for; empty for the line of all, or for no lease" }),
  label: Type.String(),
  values: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description:
      "The mean of each step; energy, spend, starts, ends and preemptions: its sum; largest_gang: what stood at its end; wait_p50 and wait_p90: of the jobs that started in it, within a tenth, null where none did. null = nothing was measured, which is not 0; of max: there is no limit, also of several accounts where one has none. By model, * is the limit of all models together. Spend is without credits for lost work and shares of idle GPUs, which are of no day",
  }),
  simulated: Type.Optional(Type.Literal(true, { description: "There is no hardware behind it" })),
});
export type SeriesLine = Static<typeof SeriesLine>;

export const SeriesView = Type.Object({
  metric: Type.Enum(seriesMetricNames),
  unit: Type.String(),
  currency: Type.Optional(Type.String({ description: "Of spend, which is in millionths of it" })),
  by: Type.Enum([...seriesGroups]),
  from: Type.Integer({ description: "Milliseconds since 1970" }),
  to: Type.Integer({ description: "Milliseconds since 1970" }),
  stepMs: Type.Integer({ description: "Longer than asked where nothing finer is kept" }),
  times: Type.Array(Type.Integer(), { description: "The begin of each step, in milliseconds since 1970" }),
  series: Type.Array(SeriesLine),
  leftOut: Type.Integer({ description: "Lines beyond the most that are answered, left out smallest first" }),
  knownTo: Type.Optional(
    Type.Integer({
      description:
        "Absent: all is known up to the last minute. While an old journal is read for the first time, until when it has been read, in milliseconds since 1970",
    }),
  ),
});
export type SeriesView = Static<typeof SeriesView>;
