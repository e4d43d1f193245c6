import Type, { type Static } from "typebox";
import { CountedPage, Page, Timestamp } from "./common.ts";

/** Whole GPU-unit-milliseconds; 21,000 units = one GPU. As text, since a month of a large fleet passes 2^53. */
const UnitMs = Type.String({ pattern: "^[0-9]+$" });

export const UsageRowShape = Type.Object({
  key: Type.String({ description: "Account path, user, job, device or node, as asked with by=" }),
  name: Type.Optional(Type.String({ description: "With by=job: the name of the job, where it is known" })),
  unitMs: UnitMs,
  byState: Type.Record(Type.String(), UnitMs),
  gpuHours: Type.String({ description: "Rounded, for people" }),
});
export const UsageReport = Type.Object({
  from: Timestamp,
  to: Timestamp,
  by: Type.Enum(["account", "user", "job", "gpu", "node"]),
  rows: Type.Array(UsageRowShape),
  /** What the rows beyond `limit` come to. */
  rest: Type.Optional(Type.Object({ rows: Type.Integer(), unitMs: UnitMs })),
  /** Over the whole fleet; present for callers who may see it. */
  fleet: Type.Optional(
    Type.Object({
      capacity: UnitMs,
      leased: UnitMs,
      /** Left of the nodes that confidential tenants have to themselves. */
      dedicated: UnitMs,
      scrub: UnitMs,
      reshape: UnitMs,
      idle: UnitMs,
      /** Free but unusable: other jobs hold all cores or all memory of the node. */
      stranded: UnitMs,
      held: UnitMs,
      down: UnitMs,
      maintenance: UnitMs,
      balanced: Type.Boolean({
        description:
          "capacity = leased + dedicated + scrub + reshape + idle + stranded + held + down + maintenance, computed from separate records",
      }),
      differenceUnitMs: Type.String(),
    }),
  ),
  total: UnitMs,
});
export type UsageReport = Static<typeof UsageReport>;

/** A metered stretch as a CloudEvent (1.0, JSON format). A later one with the same lease, state and start replaces it. */
export const UsageEvent = Type.Object({
  specversion: Type.Literal("1.0"),
  id: Type.String({ description: "lease/start/state/revision" }),
  source: Type.String(),
  type: Type.Literal("tessera.usage"),
  subject: Type.String({ description: "Account path" }),
  time: Timestamp,
  datacontenttype: Type.Literal("application/json"),
  cursor: Type.String({ description: "Extension: asks for what comes after this event" }),
  data: Type.Object({
    lease: Type.String(),
    job: Type.String(),
    account: Type.String(),
    user: Type.String(),
    node: Type.String(),
    gpus: Type.Array(Type.String()),
    model: Type.String(),
    unitsEach: Type.Integer({ description: "21,000 = one whole GPU" }),
    profile: Type.String(),
    isolation: Type.String(),
    topology: Type.String(),
    class: Type.String(),
    state: Type.String(),
    from: Timestamp,
    to: Timestamp,
    revision: Type.Integer(),
    cpusMilli: Type.Integer(),
    memoryMiB: Type.Integer(),
  }),
});
export type UsageEvent = Static<typeof UsageEvent>;
export const UsageEventPage = Type.Object({
  items: Type.Array(UsageEvent),
  next: Type.Optional(Type.String({ description: "There is more; the cursor of the last item does the same" })),
});
export type UsageEventPage = Static<typeof UsageEventPage>;

/** Why a request can have been refused that the audit tells of, as problems name it. */
export const refusalsKept = ["unauthenticated", "forbidden", "not-found", "not-allowed", "rate-limited"] as const;
export type RefusalKept = (typeof refusalsKept)[number];
export const AuditEntry = Type.Object({
  id: Type.String({ description: "The row of the journal that proves it, and its number in the row" }),
  at: Timestamp,
  actor: Type.String(),
  actorName: Type.String(),
  token: Type.Optional(Type.String()),
  action: Type.String(),
  target: Type.String(),
  targetName: Type.Optional(Type.String({ description: "Of a user, what people call them" })),
  account: Type.String(),
  outcome: Type.String(),
  detail: Type.String({ description: "For a change of policy, quota, role or price: each field before → after" }),
  address: Type.Optional(Type.String({ description: "Where the request came from; absent once it is erased" })),
  count: Type.Optional(Type.Integer({ description: "How often it happened, for what is counted together" })),
  requestId: Type.String(),
});
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditPage = CountedPage(AuditEntry);

/** Something that happened, for people: job, lease, node and account events of what the caller may see. */
export const FeedEntry = Type.Object({
  at: Timestamp,
  kind: Type.String(),
  subject: Type.String({ description: "Job, node or account" }),
  name: Type.Optional(Type.String({ description: "Of a job, where it is still known" })),
  account: Type.String(),
  text: Type.String(),
});
export type FeedEntry = Static<typeof FeedEntry>;
export const FeedPage = Page(FeedEntry);
