import Type, { type Static } from "typebox";
import { DateTimeOrAgo, Line, Timestamp } from "./common.ts";

const strict = { additionalProperties: false };

/** What should have been otherwise, and since when; as `tess what-if` takes it. */
export const WhatIfAsk = Type.Object(
  {
    from: DateTimeOrAgo,
    sets: Type.Optional(Type.Array(Line(200, "Another quota, such as quota.lab.guarantee.H100=512"), { maxItems: 20 })),
    policies: Type.Optional(Type.Array(Line(100, "Another policy, such as rebalance=off"), { maxItems: 20 })),
    nodes: Type.Optional(
      Type.Array(Line(100, "More nodes, such as 4x8:H100, or fewer, such as -4x8:H100"), { maxItems: 10 }),
    ),
    hardQuotas: Type.Optional(Type.Boolean({ description: "Each account only its own guarantee, nothing lent" })),
  },
  strict,
);
export type WhatIfAsk = Static<typeof WhatIfAsk>;

const figures = {
  jobs: Type.Integer(),
  started: Type.Integer(),
  waitMsMean: Type.Number(),
  waitMsP50: Type.Number(),
  waitMsP90: Type.Number(),
  evictions: Type.Integer(),
  lostGpuMs: Type.Number(),
  heldGpuMs: Type.Number(),
  costMicros: Type.Optional(Type.String()),
};
export const WhatIfFigures = Type.Object(figures);
export type WhatIfFigures = Static<typeof WhatIfFigures>;
const FleetFigures = Type.Object({ ...figures, utilization: Type.Number({ description: "From 0 to 1" }) });
const JobFigures = Type.Object({ waitMs: Type.Number(), evictions: Type.Integer() });

/** The past as it was replayed unchanged, beside what would have been. */
export const WhatIfReport = Type.Object({
  from: Timestamp,
  to: Timestamp,
  currency: Type.Union([Type.String(), Type.Null()]),
  fleet: Type.Object({ asItWas: FleetFigures, changed: FleetFigures }),
  accounts: Type.Array(Type.Object({ account: Type.String(), asItWas: WhatIfFigures, changed: WhatIfFigures })),
  /** What became of these jobs in the past: how near the unchanged replay comes to it tells how far it can be trusted. */
  recorded: WhatIfFigures,
  endUnknown: Type.Integer({ description: "Jobs of which the past does not tell how long they take" }),
  differences: Type.Integer({ description: "Batches that the scheduler of today decides otherwise than was recorded" }),
  refused: Type.Array(Type.String({ description: "Commands of the past that only the change makes refused" })),
  jobs: Type.Array(
    Type.Object({
      ...{ job: Type.String(), name: Type.String(), account: Type.String(), gpus: Type.Number() },
      ...{ waitMsChange: Type.Number(), asItWas: JobFigures, changed: JobFigures },
    }),
  ),
});
export type WhatIfReport = Static<typeof WhatIfReport>;

export const WhatIfShape = Type.Object({
  id: Type.String(),
  state: Type.Enum(["running", "done", "failed", "cancelled"]),
  ask: WhatIfAsk,
  startedAt: Timestamp,
  endedAt: Type.Optional(Timestamp),
  step: Type.Optional(Type.String({ description: "What it does now" })),
  done: Type.Optional(Type.Number({ description: "From 0 to 1, of all steps" })),
  failure: Type.Optional(Type.String()),
  report: Type.Optional(WhatIfReport),
});
export type WhatIfShape = Static<typeof WhatIfShape>;

/** How another system is told of what happens here; set when the server is started. */
export const OutletShape = Type.Object({
  name: Type.String(),
  delivered: Type.Integer({ description: "Messages that were taken since the start" }),
  failed: Type.Integer({ description: "Attempts that failed since the start" }),
  failing: Type.Boolean({ description: "The last attempt failed; it is tried again until it is taken" }),
});
export const OutletList = Type.Object({ items: Type.Array(OutletShape) });
