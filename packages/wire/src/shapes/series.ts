import Type, { type Static } from "typebox";

/** What is drawn over time, with its unit. */
export const seriesMetrics = {
  activity: "%",
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
} as const;
export type SeriesMetric = keyof typeof seriesMetrics;
export const seriesMetricNames = Object.keys(seriesMetrics) as SeriesMetric[];

/** One line for all of it, or one for each of these. */
export const seriesGroups = ["none", "account", "user", "job", "rank", "node", "gpu", "model"] as const;
export type SeriesGroup = (typeof seriesGroups)[number];

export const SeriesLine = Type.Object({
  key: Type.String({ description: "The id or name that it stands for; empty for the line of all, or for no lease" }),
  label: Type.String(),
  values: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description: "The mean of each step; energy: its sum. null = nothing was measured, which is not 0",
  }),
  simulated: Type.Optional(Type.Literal(true, { description: "There is no hardware behind it" })),
});
export type SeriesLine = Static<typeof SeriesLine>;

export const SeriesView = Type.Object({
  metric: Type.Enum(seriesMetricNames),
  unit: Type.String(),
  by: Type.Enum([...seriesGroups]),
  from: Type.Integer({ description: "Milliseconds since 1970" }),
  to: Type.Integer({ description: "Milliseconds since 1970" }),
  stepMs: Type.Integer({ description: "Longer than asked where nothing finer is kept" }),
  times: Type.Array(Type.Integer(), { description: "The begin of each step, in milliseconds since 1970" }),
  series: Type.Array(SeriesLine),
  leftOut: Type.Integer({ description: "Lines beyond the most that are answered, left out smallest first" }),
});
export type SeriesView = Static<typeof SeriesView>;
