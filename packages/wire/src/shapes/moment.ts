import Type, { type Static } from "typebox";
import { Timestamp } from "./common.ts";
import { FleetNodeShape } from "./fleet.ts";
import { Job } from "./job.ts";

/** The fleet and the jobs as they were at a moment, as far as the caller may see them now. */
export const Moment = Type.Object({
  at: Timestamp,
  row: Type.Integer({ description: "The last row of the journal by then" }),
  oldest: Timestamp,
  nodes: Type.Array(FleetNodeShape),
  waiting: Type.Integer({ description: "Jobs that waited" }),
  holding: Type.Integer({ description: "Jobs that held GPUs, or were to" }),
  jobs: Type.Array(Job, { description: "Those that waited first; at most a thousand" }),
});
export type Moment = Static<typeof Moment>;
