import Type, { type Static } from "typebox";
import { reasonKinds } from "../reasons.ts";
import { Timestamp } from "./common.ts";

/** Accounts that a summary names at most; `accounts` counts all of them. */
export const summaryAccountsMax = 100;
/** Columns of the picture of the fleet at most. */
export const summaryColumnsMax = 240;

const count = { jobs: Type.Integer(), gpus: Type.Number() };

/** What is held, idle, reserved and unusable adds up to the GPUs; a part of a GPU counts as its part. */
const gpuCounts = {
  gpus: Type.Integer(),
  idle: Type.Number({ description: "Held by no job, and any job may have it" }),
  reserved: Type.Number({ description: "Held by no job, and kept for one for which room is being made" }),
  guaranteed: Type.Number(),
  burst: Type.Number(),
  leaving: Type.Number(),
  others: Type.Number({ description: "Held by jobs that the caller may not see" }),
  unusable: Type.Number({
    description: "Held by no job, and no job can have it now: its node is not up, or its engine withholds it",
  }),
};

/** Jobs that wait, counted by reason and by account. */
export const WaitingSummary = Type.Object({
  ...count,
  oldestAt: Type.Optional(Timestamp),
  byReason: Type.Array(Type.Object({ reason: Type.Enum(reasonKinds), ...count })),
  byAccount: Type.Array(Type.Object({ account: Type.String(), ...count }), {
    description: "Those that wait for most GPUs, the most first",
  }),
  accounts: Type.Integer({ description: "All accounts in which a job waits" }),
});
export type WaitingSummary = Static<typeof WaitingSummary>;

/** Jobs that wait or hold GPUs, and the fleet, counted: an array counts as one job, and with the GPUs of its elements. */
export const SummaryShape = Type.Object({
  at: Timestamp,
  waiting: WaitingSummary,
  running: Type.Object({
    ...count,
    byState: Type.Object({
      starting: Type.Integer(),
      running: Type.Integer(),
      stopping: Type.Integer(),
    }),
  }),
  below: Type.Optional(
    Type.Array(
      Type.Object({
        account: Type.String(),
        held: Type.Number({ description: "GPUs" }),
        guarantee: Type.Number({ description: "GPUs of all models" }),
        borrowed: Type.Number({ description: "GPUs held beyond the guarantee, of each model that it names by itself" }),
        burst: Type.Number({ description: "GPUs held by jobs of the class burst, which can be taken back" }),
        waiting: Type.Object({ ...count, oldestAt: Type.Optional(Timestamp) }),
        running: Type.Object(count),
        failed: Type.Optional(
          Type.Integer({
            description:
              "Jobs that ended in the last 24 hours, to ten minutes, and neither succeeded nor were cancelled",
          }),
        ),
      }),
      { description: "With below=true: each account right below the ones asked for, with all below it" },
    ),
  ),
  belowTotal: Type.Optional(
    Type.Object(
      { accounts: Type.Integer(), failed: Type.Optional(Type.Integer()) },
      { description: "Of all accounts right below: `below` tells of those that hold and wait for most GPUs" },
    ),
  ),
  fleet: Type.Object({
    nodes: Type.Integer(),
    byMode: Type.Record(Type.String(), Type.Integer()),
    ...gpuCounts,
    byModel: Type.Array(Type.Object({ model: Type.String(), ...gpuCounts })),
    columns: Type.Optional(
      Type.Array(Type.Record(Type.String(), Type.Number()), {
        description:
          "The nodes in order, added up to a picture: GPUs by how they are held (guaranteed, burst, leaving), of those not held by why (idle, reserved, withheld, or the mode of the node); for who may see all jobs",
      }),
    ),
  }),
});
/** Accounts right below that a summary tells of at most, those that hold and wait for most GPUs first. */
export const summaryBelowMax = 200;

export type SummaryShape = Static<typeof SummaryShape>;
