import Type, { type Static } from "typebox";
import { Timestamp } from "./common.ts";

/** GPUs that are held, or planned to be held, from one instant to another. */
export const PlanBlock = Type.Object({
  kind: Type.Enum(["running", "planned"]),
  whose: Type.Enum(["job", "rest", "others"], {
    description: "One job; smaller jobs of yours together; jobs that you may not see, together",
  }),
  job: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  project: Type.Optional(Type.String()),
  class: Type.Optional(Type.Enum(["guaranteed", "burst"])),
  jobs: Type.Optional(Type.Integer({ description: "How many jobs these are; not told of others" })),
  gpus: Type.Number(),
  from: Timestamp,
  until: Type.Optional(Timestamp),
  basis: Type.Optional(
    Type.Enum(["max_time", "expected_time", "past-runs", "plan", "run-times", "eviction"], {
      description: "What the end of a running job, or the start of a planned one, is known from",
    }),
  ),
});
export type PlanBlock = Static<typeof PlanBlock>;

/** Nodes that take no work. */
export const PlanClosed = Type.Object({
  why: Type.Enum(["maintenance", "out-of-service"]),
  nodes: Type.Integer(),
  gpus: Type.Integer({ description: "That no job holds when it begins" }),
  from: Timestamp,
  until: Type.Optional(Timestamp),
});
export type PlanClosed = Static<typeof PlanClosed>;

/** What is expected of the fleet from now on, as known now. */
export const FleetPlanShape = Type.Object({
  at: Timestamp,
  until: Timestamp,
  gpus: Type.Integer({ description: "GPUs of the fleet" }),
  blocks: Type.Array(PlanBlock, {
    description: "The largest jobs by name; what ends in the same part of the time is one block",
  }),
  closed: Type.Array(PlanClosed),
  planned: Type.Integer({ description: "Planned starts of your waiting jobs and array elements" }),
});
export type FleetPlanShape = Static<typeof FleetPlanShape>;
