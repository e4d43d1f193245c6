import { roles } from "@tessera/core";
import type { Numbers } from "@tessera/core/numbers";
import Type, { type Static } from "typebox";

import { numberBounds, numberWords } from "../numbers.ts";

import { Duration, Name } from "./common.ts";

function most(name: keyof Numbers) {
  const { least: minimum, most: maximum } = numberBounds[name];
  return Type.Optional(Type.Integer({ minimum, maximum, description: numberWords[name] }));
}

const numbers = {
  arrayElements: most("arrayElements"),
  waitingJobsPerUser: most("waitingJobsPerUser"),
  waitingJobsPerTenant: most("waitingJobsPerTenant"),
  jobFilesMiBPerUser: most("jobFilesMiBPerUser"),
  jobFilesMiBPerTenant: most("jobFilesMiBPerTenant"),
  cpuMembersPerTenant: most("cpuMembersPerTenant"),
  cpuMemberCpusMilli: most("cpuMemberCpusMilli"),
  cpuMemberMemoryMiB: most("cpuMemberMemoryMiB"),
  processesPerMember: most("processesPerMember"),
  scratchMiBPerMember: most("scratchMiBPerMember"),
  logMiBPerMember: most("logMiBPerMember"),
  streamsPerUser: most("streamsPerUser"),
  reportDays: most("reportDays"),
  reportSteps: most("reportSteps"),
};

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
  lostWork: Type.Optional(
    Type.Union([Duration, Type.Literal("grace")], {
      description: "The longest run time whose loss by eviction is credited; grace = as long as the job's grace",
    }),
  ),
  acceptance: Type.Optional(
    Type.Enum(["on", "off"], { description: "New nodes with real GPUs get work only after they passed the checks" }),
  ),
  checkEvery: Type.Optional(
    Type.Union([Duration, Type.Literal("off")], {
      description: "How often idle nodes are checked; never when left out",
    }),
  ),
  factorRoles: Type.Optional(
    Type.Array(Type.Enum([...roles]), {
      maxItems: 20,
      description:
        "Roles that need a second factor; left out: those of the whole platform, where others than this machine can connect",
    }),
  ),
  sessionIdle: Type.Optional(Duration),
  sessionLife: Type.Optional(Duration),
  passwords: Type.Optional(
    Type.Enum(["on", "off"], { description: "Off: nobody signs in with a password once there is a provider" }),
  ),
  tokenLife: Type.Optional(
    Type.Union([Duration, Type.Literal("off")], { description: "The longest life of a new token; off: no limit" }),
  ),
  max: Type.Optional(
    Type.Object(numbers, {
      additionalProperties: false,
      description: "The most that tenants may have of what they can make large; what is left out has its plain value",
    }),
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
