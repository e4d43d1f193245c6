import Type, { type Static } from "typebox";
import { Duration, Name } from "./common.ts";

/** What the owner decides for the whole fleet. */
const policy = {
  rebalance: Type.Enum(["on", "checkpointed", "off"], {
    description: "Evict for a fair share of the surplus: any burst job, only jobs with a checkpoint, or none",
  }),
  /** A job that has just started is left alone this long, but not by the owner of its GPUs. */
  minRuntime: Duration,
  /** How long a job has to leave that does not return, or has no checkpoint of its own. */
  grace: Duration,
  graceMax: Type.Optional(Duration),
  backfill: Type.Boolean({
    description: "Plan jobs that cannot start, and let others start only where no plan is delayed",
  }),
  movesPerHourMax: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: "Jobs that may be moved within an hour so that another finds room on one node; 60 when left out",
    }),
  ),
  scrub: Type.Optional(
    Type.Union([Duration, Type.Literal("off")], {
      description: "Clear a GPU before another tenant gets it, which takes about so long; off when left out",
    }),
  ),
  reshape: Type.Optional(
    Type.Union([Duration, Type.Literal("off")], {
      description: "How long it takes to cut an idle GPU otherwise; not counted when left out",
    }),
  ),
  snapshotFilesMax: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100_000, description: "Files that a folder sent with a job may hold" }),
  ),
  snapshotMiBMax: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_048_576, description: "MiB that a folder sent with a job may hold" }),
  ),
  contentMiBMax: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_073_741_824, description: "MiB that are kept for one tenant" }),
  ),
  sizes: Type.Optional(
    Type.Record(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_-]{0,31}$" }), Name(100, "1g.10gb, H100:0.25 or H100:1"), {
      additionalProperties: false,
      maxProperties: 100,
      description: "Sizes by name, in which quotas can be given and jobs can ask",
    }),
  ),
};

export const PolicyPut = Type.Object(policy, { additionalProperties: false });
export type PolicyPut = Static<typeof PolicyPut>;
export const PolicyShape = Type.Object({
  ...policy,
  revision: Type.String({ description: "Opaque; send as If-Match" }),
});
export type PolicyShape = Static<typeof PolicyShape>;
