import Type, { type Static } from "typebox";
import { Line, Name, Page, Timestamp } from "./common.ts";

const Action = Type.Enum(["ignore", "watch", "restart-job", "drain", "reset", "quarantine", "rma"], {
  description: "What follows from it: drain, reset, quarantine and rma take the node out of use",
});

export const CheckShape = Type.Object({
  name: Type.String(),
  gpu: Type.Optional(Type.String()),
  result: Type.Enum(["passed", "failed", "skipped", "ended"], {
    description: "skipped: it could not be run here, and says why; ended: real work came first",
  }),
  measured: Type.Optional(Type.String()),
  expected: Type.Optional(Type.String()),
  text: Type.String(),
});
export type CheckShape = Static<typeof CheckShape>;

export const FindingShape = Type.Object({
  source: Type.String(),
  code: Type.String(),
  name: Type.String({ description: "Such as Xid 79" }),
  means: Type.String(),
  action: Action,
  gpu: Type.Optional(Type.String()),
  count: Type.Integer(),
  first: Timestamp,
  last: Timestamp,
  text: Type.Optional(Type.String({ description: "The newest, as it was said; only with the right to change nodes" })),
});
export type FindingShape = Static<typeof FindingShape>;

export const NodeHealthShape = Type.Object({
  node: Type.String(),
  mode: Type.String(),
  reason: Type.String(),
  checking: Type.Boolean({ description: "Checks run there now" }),
  checked: Type.Optional(Timestamp),
  checks: Type.Array(CheckShape, { description: "The newest" }),
  findings: Type.Array(FindingShape, { description: "Newest first" }),
  faults: Type.Integer({ description: "How often it was taken out of use within seven days" }),
  repair: Type.Optional(Type.Integer({ description: "The repair that is open" })),
});
export type NodeHealthShape = Static<typeof NodeHealthShape>;

export const RepairShape = Type.Object({
  id: Type.Integer(),
  node: Type.String(),
  gpu: Type.Optional(Type.String()),
  action: Action,
  cause: Type.String(),
  why: Type.String(),
  step: Type.String({ description: "What has to be done" }),
  flapping: Type.Optional(Type.Boolean({ description: "It failed so often that checks alone do not bring it back" })),
  opened: Timestamp,
  evidence: Type.Array(Type.Object({ at: Timestamp, text: Type.String() })),
  noted: Type.Integer({ description: "How much evidence there was; the first of it is kept" }),
  closed: Type.Optional(Timestamp),
  closedWhy: Type.Optional(Type.String()),
});
export type RepairShape = Static<typeof RepairShape>;
export const RepairPage = Page(RepairShape);

export const CheckBody = Type.Object(
  { checks: Type.Optional(Type.Array(Name(100), { maxItems: 100, description: "By name; all when left out" })) },
  { additionalProperties: false },
);
export const JobCheckShape = Type.Object({ nodes: Type.Array(Type.String(), { description: "Being checked now" }) });
export type JobCheckShape = Static<typeof JobCheckShape>;
export const RepairCloseBody = Type.Object(
  { reason: Line(500, "Why the node is well") },
  { additionalProperties: false },
);
