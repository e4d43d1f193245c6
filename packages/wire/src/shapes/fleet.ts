import Type, { type Static } from "typebox";
import { May } from "../acts.ts";
import { CountedPage, DateTime, Duration, Line, Page, Timestamp, Zone } from "./common.ts";
import { SharingShape } from "./sharing.ts";

const JobNames = Type.Array(Type.String(), { description: "What people call the jobs, in their order" });

export const NodeShape = Type.Object({
  name: Type.String(),
  engine: Type.String(),
  mode: Type.Enum(["up", "cordoned", "draining", "maintenance", "down", "unknown"], {
    description: "unknown: its engine is out of reach, or cannot see whether it still runs",
  }),
  reason: Type.String(),
  region: Type.Optional(Type.String()),
  zone: Type.String(),
  block: Type.String(),
  rack: Type.String(),
  nvlink: Type.String(),
  model: Type.String(),
  gpus: Type.Integer(),
  gpusFree: Type.Number(),
  cpus: Type.Number(),
  cpusFree: Type.Number(),
  memoryMiB: Type.Integer(),
  memoryFreeMiB: Type.Integer(),
  virtual: Type.Boolean({ description: "Declared, not found: nothing stands behind these GPUs" }),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  pool: Type.Optional(Type.String({ description: "The pool that it belongs to" })),
  sharing: Type.Optional(SharingShape),
  condition: Type.Optional(
    Type.Object(
      { state: Type.Enum(["cordoned", "unknown"]), reason: Type.String() },
      { description: "What its engine says of it, when it takes no new work" },
    ),
  ),
  gpusWithheld: Type.Optional(
    Type.Integer({ description: "GPUs that others use or that are not healthy: they are not offered" }),
  ),
  drainUntil: Type.Optional(Timestamp),
  maintenance: Type.Optional(
    Type.Array(
      Type.Object({
        from: Timestamp,
        to: Timestamp,
        tz: Type.Optional(Type.String()),
        reason: Type.String(),
        state: Type.Enum(["planned", "active"]),
      }),
      { description: "When it will be out of use, earliest first" },
    ),
  ),
  /** The jobs that a draining node waits for; only what the caller may see is named, the rest is counted. */
  blockers: Type.Optional(Type.Object({ jobs: Type.Array(Type.String()), names: JobNames, hidden: Type.Integer() })),
  /** What ends or moves when the node is emptied; with one node only, not in lists. */
  load: Type.Optional(
    Type.Object({
      jobs: Type.Integer(),
      own: Type.Integer({ description: "Jobs of the caller among them" }),
      gpus: Type.Number(),
      named: Type.Array(
        Type.Object({
          id: Type.String(),
          name: Type.String(),
          project: Type.String(),
          endsAt: Type.Optional({
            ...Timestamp,
            description: "When it is expected to end; absent where nothing tells",
          }),
        }),
        { description: "The first of those that the caller may see: those that end last" },
      ),
    }),
  ),
  revision: Type.String(),
  may: May("node"),
});
/** Jobs on a node that its load names at most. */
export const loadNamedMax = 5;
export type NodeShape = Static<typeof NodeShape>;
export const NodePage = CountedPage(NodeShape);

export const GpuShape = Type.Object({
  uuid: Type.String(),
  node: Type.String(),
  index: Type.Integer(),
  model: Type.String(),
  memoryMiB: Type.Integer(),
  virtual: Type.Boolean(),
  mode: Type.String(),
  free: Type.Number({ description: "Free part of the GPU, 0 to 1" }),
  sharing: Type.Optional(SharingShape),
  /** Jobs that the caller may see; others count in `free` only. */
  jobs: Type.Array(Type.String()),
  names: JobNames,
});
export type GpuShape = Static<typeof GpuShape>;
export const GpuPage = Page(GpuShape);

/** A node as the map draws it: many of them are sent at once, so it says no more than can be seen. */
export const FleetNodeShape = Type.Object({
  name: Type.String(),
  engine: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
  zone: Type.String(),
  block: Type.String(),
  rack: Type.String(),
  nvlink: Type.String(),
  model: Type.String(),
  mode: NodeShape.properties.mode,
  reason: Type.Optional(Type.String({ description: "Why it is not up, where that is known" })),
  cells: Type.String({
    description:
      "One letter a GPU: . idle, or of no use where the node is not up, r reserved for a job, w withheld by its engine; g guaranteed, b burst, l leaving, x held by others: as a capital where a part is not held",
  }),
  parts: Type.Optional(
    Type.Record(Type.String(), Type.Record(Type.String(), Type.Number()), {
      description: "Of GPUs that are held in parts, by their place: how much of each is held or not, by letter",
    }),
  ),
  tenants: Type.Optional(Type.Array(Type.String(), { description: "Holders on this node that the caller may see" })),
  holders: Type.Optional(
    Type.Array(Type.Integer(), {
      description: "For each GPU the place of its holder in tenants; -1 = none to be seen",
    }),
  ),
});
export type FleetNodeShape = Static<typeof FleetNodeShape>;
export const FleetMap = Page(FleetNodeShape);

export const fleetMetrics = ["activity", "power", "temperature"] as const;
export type FleetMetric = (typeof fleetMetrics)[number];

/** What was measured just now, as the map draws it: whole numbers, and no more than one metric at once. */
export const FleetActivity = Type.Object({
  at: Timestamp,
  metric: Type.Enum([...fleetMetrics]),
  unit: Type.String({ description: "Of the values: %, W or °C" }),
  whole: Type.Boolean({ description: "Told of the whole fleet; false: of what the caller's accounts hold" }),
  nodes: Type.Record(Type.String(), Type.Array(Type.Union([Type.Integer(), Type.Null()])), {
    description: "By node, one value for each GPU; null = not measured, or not to be told, which is not 0",
  }),
  simulated: Type.Optional(Type.Literal(true, { description: "There is no hardware behind these figures" })),
});
export type FleetActivity = Static<typeof FleetActivity>;

export const Alarm = Type.Object({
  kind: Type.Enum(["clock", "disk", "audit", "unleased", "break-glass"]),
  since: Timestamp,
  text: Type.String({ description: "What is wrong, and what to do" }),
});
export type Alarm = Static<typeof Alarm>;
export const AlarmList = Page(Alarm);

export const ReasonBody = Type.Object({ reason: Type.Optional(Line(500)) }, { additionalProperties: false });
/** From one time to another; `cancel` takes back all that are planned, and ends the one that the node is in. */
export const MaintenanceBody = Type.Union([
  Type.Object(
    {
      from: DateTime,
      to: DateTime,
      tz: Type.Optional(Zone),
      reason: Type.Optional(Line(500)),
    },
    { additionalProperties: false },
  ),
  Type.Object({ cancel: Type.Literal(true) }, { additionalProperties: false }),
]);
export const DrainBody = Type.Object(
  {
    reason: Type.Optional(Line(500)),
    within: Type.Optional(Duration),
  },
  { additionalProperties: false },
);
