import Type, { type Static } from "typebox";
import { Timestamp } from "./common.ts";
import { FleetNodeShape } from "./fleet.ts";
import { Job } from "./job.ts";
import { PlanBlock } from "./plan.ts";
import { WaitingSummary } from "./summary.ts";

/** What is planned to have happened between now and a moment to come. */
const PlannedUntil = Type.Object({
  asOf: Timestamp,
  started: Type.Array(PlanBlock, { description: "Jobs that are planned to have started by then; at most 200" }),
  ended: Type.Array(PlanBlock, { description: "Jobs that are expected to have ended by then; at most 200" }),
  startedJobs: Type.Integer(),
  endedJobs: Type.Integer(),
});

/** The fleet and the jobs at a moment, as far as the caller may see them now: as they were, or as they are planned to be. */
export const Moment = Type.Object({
  at: Timestamp,
  row: Type.Integer({ description: "The last row of the journal by then" }),
  oldest: Timestamp,
  latest: Timestamp,
  nodes: Type.Array(FleetNodeShape),
  waiting: Type.Integer({ description: "Jobs that waited; with reason=, those that waited for it" }),
  holding: Type.Integer({ description: "Jobs that held GPUs, or were to" }),
  jobs: Type.Array(Job, {
    description:
      "Those that waited, in the order of the queue, then those that held GPUs; at most a thousand. With reason=, only those that waited for it",
  }),
  /** The one that was asked for with `job=`; absent where there was none then, or none that may be seen. */
  job: Type.Optional(Job),
  summary: WaitingSummary,
  planned: Type.Optional(PlannedUntil),
});
export type Moment = Static<typeof Moment>;
