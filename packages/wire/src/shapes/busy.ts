import Type, { type Static } from "typebox";
import { Timestamp } from "./common.ts";

export const busyGroups = ["account", "user", "job", "gpu", "node"] as const;

const GpuMs = Type.Integer({ description: "Milliseconds of a whole GPU; parts of a GPU count as parts" });

/** What samples say of GPU time. What was leased without a sample is not in here: GET /v1/usage says what was leased. */
export const BusyRow = Type.Object({
  key: Type.String({ description: "As in GET /v1/usage: account path, user, job, GPU or node" }),
  measuredMs: GpuMs,
  busyMs: GpuMs,
  idleMs: Type.Integer({ description: "Measured and below 5 % busy" }),
  memoryPeakMiB: Type.Optional(Type.Integer({ description: "The most that one GPU had in use" })),
  energyJoules: Type.Optional(Type.Integer()),
  simulated: Type.Optional(Type.Literal(true, { description: "There is no hardware behind these figures" })),
});
export type BusyRow = Static<typeof BusyRow>;

export const BusyReport = Type.Object({
  from: Timestamp,
  to: Timestamp,
  by: Type.Enum([...busyGroups]),
  rows: Type.Array(BusyRow),
});
export type BusyReport = Static<typeof BusyReport>;
