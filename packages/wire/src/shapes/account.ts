import Type, { type Static, type TSchema } from "typebox";
import { May } from "../acts.ts";
import {
  AccountPath,
  DateTime,
  Duration,
  Egress,
  GpuAmount,
  idleRule,
  Name,
  Page,
  Text,
  Timestamp,
  Zone,
} from "./common.ts";

/** Left out it stays as it is; null takes it away. */
const half = <Amount extends TSchema>(amount: Amount) => Type.Union([amount, Type.Null()]);

const terms = {
  guarantee: Type.Optional(GpuAmount),
  max: Type.Optional(Type.Union([GpuAmount, Type.Null()])),
  lendable: Type.Optional(Type.Union([GpuAmount, Type.Null()])),
  weight: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  cpus: Type.Optional(
    Type.Object(
      {
        guarantee: Type.Optional(half(Type.Number({ minimum: 0, maximum: 10_000_000, multipleOf: 0.001 }))),
        max: Type.Optional(half(Type.Number({ minimum: 0, maximum: 10_000_000, multipleOf: 0.001 }))),
      },
      { additionalProperties: false },
    ),
  ),
  memoryMiB: Type.Optional(
    Type.Object(
      {
        guarantee: Type.Optional(half(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }))),
        max: Type.Optional(half(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }))),
      },
      { additionalProperties: false },
    ),
  ),
  trust: Type.Optional(Type.Enum(["confidential", "untrusted", "trusted"])),
  trustGroup: Type.Optional(
    Type.Union([
      Type.String({
        pattern: "^[a-z0-9][a-z0-9._-]{0,62}$",
        maxLength: 63,
        description: "a name of lower-case letters, digits and . _ -",
      }),
      Type.Null(),
    ]),
  ),
  allowMigWith: Type.Optional(
    Type.Array(AccountPath, {
      maxItems: 100,
      description: "Tenants beside which it may have a part of a GPU cut by MIG though not both are trusted",
    }),
  ),
  factor: Type.Optional(Type.Boolean({ description: "Everyone with a role here or below needs a second factor" })),
  historyHalfLife: Type.Optional(Type.Union([Duration, Type.Null()])),
  order: Type.Optional(
    Type.Enum(["age", "aged-shortest", "attained-service"], {
      description: "Which of its waiting jobs of one priority goes first",
    }),
  ),
  quantum: Type.Optional(Type.Union([Duration, Type.Null()])),
  idle: Type.Optional(
    Type.Union([
      Type.Object(
        {
          ...idleRule,
          relax: Type.Optional(Type.Boolean({ description: "Jobs below may have milder rules of their own" })),
        },
        { additionalProperties: false, description: "What is done with jobs below whose GPUs are idle" },
      ),
      Type.Null(),
    ]),
  ),
  overcommit: Type.Optional(Type.Boolean({ description: "Guarantees below may exceed the guarantee here" })),
  limits: Type.Optional(
    Type.Object(
      {
        gpusPerJob: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
        runTime: Type.Optional(Duration),
        defaultTime: Type.Optional(Duration),
        waitingJobsPerUser: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
        gpusPerUser: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000 })),
        waitingJobs: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 10_000_000,
            description: "Waiting jobs of the tenant, instead of the policy's",
          }),
        ),
        jobFilesMiB: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 65_536,
            description: "Job files of the tenant's live jobs, instead of the policy's",
          }),
        ),
        cpuMembers: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1_000_000,
            description: "Members without GPUs of the tenant, instead of the policy's",
          }),
        ),
        scratchMiB: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "What the folders of one member may hold" }),
        ),
        checkpointMiB: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "What the checkpoint of one job may hold" }),
        ),
        outputsMiB: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1_000_000_000,
            description: "What the kept outputs of all jobs here and below may hold together",
          }),
        ),
        outputsKept: Type.Optional(Duration),
        egress: Type.Optional(Egress),
        gpuHours: Type.Optional(
          Type.Object(
            { max: Type.Number({ minimum: 0, maximum: 1_000_000_000 }), every: Duration },
            { additionalProperties: false },
          ),
        ),
      },
      { additionalProperties: false },
    ),
  ),
  allowed: Type.Optional(
    Type.Object(
      {
        models: Type.Optional(Type.Array(Name(100), { maxItems: 100 })),
        types: Type.Optional(Type.Array(Type.Enum(["train", "service", "notebook", "batch"]), { maxItems: 4 })),
        images: Type.Optional(Type.Array(Name(500), { maxItems: 100 })),
      },
      { additionalProperties: false },
    ),
  ),
};

export const AccountCreate = Type.Object({ path: AccountPath, ...terms }, { additionalProperties: false });
export type AccountCreate = Static<typeof AccountCreate>;
const WindowTimes = Type.Object(
  {
    from: DateTime,
    to: DateTime,
    tz: Type.Optional(Zone),
  },
  { additionalProperties: false },
);
/**
 * Fields that are left out stay as they are; null takes a ceiling away. With a window the quota counts only for that
 * time and comes back by itself; `window: null` takes back all that are planned or in force.
 */
export const AccountEdit = Type.Object(
  { ...terms, window: Type.Optional(Type.Union([WindowTimes, Type.Null()])) },
  { additionalProperties: false },
);
export type AccountEdit = Static<typeof AccountEdit>;

const sizeCounts = Type.Record(Type.String(), Type.Integer());

/** GPUs by model, `*` = any. */
const amounts = Type.Record(Type.String(), Type.Number());

export const Account = Type.Object({
  id: Type.String(),
  path: Type.String(),
  tenant: Type.String(),
  guarantee: amounts,
  max: Type.Optional(amounts),
  lendable: Type.Optional(amounts),
  /** As they were given, where that was in sizes; `guarantee` and `max` say the same in GPUs. */
  guaranteeSizes: Type.Optional(sizeCounts),
  maxSizes: Type.Optional(sizeCounts),
  guaranteeHolds: Type.Optional(
    Type.Record(Type.String(), Type.Integer(), {
      description: "How many of each size the guarantee would hold, of that size alone",
    }),
  ),
  weight: Type.Integer(),
  cpus: Type.Object({ guarantee: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) }),
  memoryMiB: Type.Object({ guarantee: Type.Optional(Type.Integer()), max: Type.Optional(Type.Integer()) }),
  trust: Type.String(),
  trustGroup: Type.Optional(Type.String()),
  allowMigWith: Type.Optional(Type.Array(Type.String())),
  factor: Type.Optional(Type.Boolean()),
  historyHalfLife: Type.Optional(
    Type.String({
      description: "Past borrowing of the accounts below counts in their shares, halved after each such time",
    }),
  ),
  order: Type.String(),
  quantum: Type.Optional(
    Type.String({ description: "Its order may evict at equal priority, and is looked at this often by time alone" }),
  ),
  idle: Type.Optional(
    Type.Object({
      gpu_below: Type.String(),
      for: Type.String(),
      do: Type.String(),
      relax: Type.Optional(Type.Literal(true)),
    }),
  ),
  overcommit: Type.Boolean(),
  overcommitted: Type.Boolean({ description: "The guarantees below exceed the guarantee here at present" }),
  limits: Type.Record(Type.String(), Type.Unknown()),
  allowed: Type.Record(Type.String(), Type.Unknown()),
  windows: Type.Optional(
    Type.Array(
      Type.Object({
        from: Timestamp,
        to: Timestamp,
        tz: Type.Optional(Type.String()),
        state: Type.Enum(["planned", "active", "refused"]),
        refused: Type.Optional(Type.String({ description: "Why it did not come into force" })),
        quota: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  ),
  used: Type.Object({
    gpus: Type.Number(),
    byModel: amounts,
    borrowed: Type.Number({ description: "GPUs held beyond the guarantee" }),
    borrowedBefore: Type.Optional(
      Type.Number({ description: "GPUs borrowed recently, on average, where the account above keeps a history" }),
    ),
    cpus: Type.Number(),
    memoryMiB: Type.Integer(),
  }),
  aboveMax: Type.Optional(
    Type.Array(Type.String(), { description: "What is held above max: it stays until its jobs end" }),
  ),
  liveJobs: Type.Integer({ description: "Of the account and everything below" }),
  revision: Type.String({ description: "Opaque; send as If-Match" }),
  may: May("account"),
});
export type Account = Static<typeof Account>;
export const AccountPage = Page(Account);

export const SecretList = Page(Type.Object({ account: Type.String(), name: Type.String(), changedAt: Timestamp }));
export const SecretPut = Type.Object({ value: Text(65_536) }, { additionalProperties: false });
