import Type, { type Static } from "typebox";
import { Timestamp } from "./common.ts";

export const topGroups = ["job", "user", "account", "gpu"] as const;
export const topOrders = ["gpus", "activity", "idle", "memory", "power"] as const;

/** What was measured of some GPUs just now. What was not measured is absent: it is not 0. */
const measures = {
  gpus: Type.Number({ description: "GPUs held; parts of a GPU count as parts" }),
  measuredGpus: Type.Number({ description: "Of those, how many have a measurement of their own that is not too old" }),
  activity: Type.Optional(
    Type.Number({ description: "Per cent of the compute units that were busy, over what was measured" }),
  ),
  memoryUsedMiB: Type.Optional(Type.Integer({ description: "Memory in use on the GPUs that say so" })),
  memoryMiB: Type.Optional(Type.Integer({ description: "Memory of the GPUs that say how much is in use" })),
  powerWatts: Type.Optional(Type.Number()),
  simulated: Type.Optional(Type.Literal(true, { description: "There is no hardware behind these figures" })),
};

export const TopRow = Type.Object({
  key: Type.String({ description: "Job, user, account path or GPU, as asked with by=" }),
  name: Type.Optional(Type.String({ description: "The name of the job or of the user" })),
  account: Type.Optional(Type.String({ description: "With by=job and by=gpu" })),
  user: Type.Optional(Type.String({ description: "With by=job and by=gpu" })),
  job: Type.Optional(Type.String({ description: "With by=gpu" })),
  node: Type.Optional(Type.String({ description: "With by=gpu" })),
  model: Type.Optional(Type.String({ description: "With by=gpu" })),
  share: Type.Optional(Type.Number({ description: "Per cent of the GPUs of all rows, also of those left out" })),
  state: Type.Enum(["busy", "idle", "unmeasured", "unleased"], {
    description: "idle: measured, and below 5 %. unmeasured: nothing is known. unleased: busy without a lease",
  }),
  ...measures,
});
export type TopRow = Static<typeof TopRow>;

export const TopView = Type.Object({
  at: Timestamp,
  by: Type.Enum([...topGroups]),
  rows: Type.Array(TopRow),
  leftOut: Type.Integer({ description: "Rows beyond the limit" }),
  total: Type.Object(measures),
});
export type TopView = Static<typeof TopView>;
