import Type, { type Static } from "typebox";
import { Timestamp } from "./common.ts";

/** Whole GPU-unit-milliseconds; 21,000 units = one GPU. As text, since a month of a large fleet passes 2^53. */
const UnitMs = Type.String({ pattern: "^[0-9]+$" });
const Micros = Type.String({ pattern: "^[0-9]+$", description: "Millionths of the currency" });

const Part = Type.Optional(Type.Object({ unitMs: UnitMs, micros: Micros }));

/** Where capacity goes; each unit-millisecond is in exactly one of them, and a class without any is absent. */
const Classes = Type.Object({
  busy: Part,
  allocated_partly: Part,
  allocated_idle: Part,
  allocated_unmeasured: Part,
  dedicated: Part,
  setup: Part,
  handover: Part,
  lost_preemption: Part,
  lost_fault: Part,
  fragmented: Part,
  unallocated_idle: Part,
  maintenance: Part,
  down: Part,
});
export type WasteClassName = keyof Static<typeof Classes>;

/** In the words of people, in the order in which they are shown. */
export const wasteWords: { readonly [name in WasteClassName]: string } = {
  busy: "busy",
  allocated_partly: "allocated, partly used",
  allocated_idle: "allocated, idle",
  allocated_unmeasured: "allocated, not measured",
  dedicated: "dedicated, unused",
  setup: "set-up",
  handover: "handover",
  lost_preemption: "lost to preemption",
  lost_fault: "lost to faults",
  fragmented: "fragmented",
  unallocated_idle: "not allocated",
  maintenance: "maintenance",
  down: "down",
};

const amounts = {
  unitMs: UnitMs,
  gpuHours: Type.String({ description: "Rounded, for people" }),
  micros: Micros,
  classes: Classes,
};

export const WasteRow = Type.Object({
  key: Type.String({ description: "Account path, user, job, node or model; empty for what no lease held" }),
  name: Type.Optional(Type.String({ description: "With by=job: the name of the job, where it is known" })),
  ...amounts,
});
export type WasteRow = Static<typeof WasteRow>;

export const WasteReport = Type.Object({
  from: Timestamp,
  to: Timestamp,
  by: Type.Enum(["account", "user", "job", "node", "model"]),
  currency: Type.String(),
  rows: Type.Array(WasteRow),
  total: Type.Object(amounts),
  /** Of the whole fleet, counted from its devices; present for callers who may see it. */
  capacity: Type.Optional(
    Type.Object({
      unitMs: UnitMs,
      gpuHours: Type.String({ description: "Rounded, for people" }),
      micros: Micros,
      exact: Type.Boolean({ description: "The classes add up to it, to the unit-millisecond" }),
      differenceUnitMs: Type.String(),
      perCentMonthMicros: Type.Optional(
        Type.String({ description: "What one more per cent of it, used, is worth in 30 days" }),
      ),
    }),
  ),
  /** Jobs that held more than they used, those that wasted most first. Their time is in the classes already. */
  oversized: Type.Array(
    Type.Object({
      job: Type.String(),
      name: Type.Optional(Type.String()),
      account: Type.String(),
      held: Type.String({ description: "GPUs of a member, such as H100:1" }),
      memoryHeldMiB: Type.Integer({ description: "Of one GPU" }),
      memoryPeakMiB: Type.Integer({ description: "The most that was in use on one GPU" }),
      activity: Type.Number({ description: "Per cent, over the time that was measured" }),
      smaller: Type.String({ description: "A shape that would have done, such as H100:1g.20gb" }),
      savesUnitMs: UnitMs,
      savesMicros: Micros,
    }),
  ),
  /** What is free now, and in pieces of which size; present with `capacity`. */
  free: Type.Optional(
    Type.Array(
      Type.Object({
        model: Type.String(),
        gpus: Type.Number({ description: "Parts of shared GPUs included" }),
        whole: Type.Integer(),
        nodes: Type.Record(Type.String(), Type.Integer(), { description: "Nodes by their number of wholly free GPUs" }),
      }),
    ),
  ),
  /** Shapes of waiting jobs for which enough GPUs are free now, but not in the pieces that they need. */
  unfit: Type.Array(Type.Object({ shape: Type.String(), jobs: Type.Integer(), reason: Type.String() })),
});
export type WasteReport = Static<typeof WasteReport>;
