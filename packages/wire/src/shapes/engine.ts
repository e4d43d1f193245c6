import { engineKinds } from "@tessera/core";
import Type, { type Static } from "typebox";
import { May } from "../acts.ts";
import { Duration, Line, Page, Text, Timestamp } from "./common.ts";

/** A name of an engine or of a pool: it stands before node names, with `/` between. */
export function FleetName(description: string) {
  return Type.String({
    pattern: "^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$",
    maxLength: 40,
    title: "a name of lower-case letters, digits and -",
    description,
  });
}

const Settings = Type.Record(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9]{0,62}$" }), Line(500), {
  additionalProperties: false,
  maxProperties: 32,
  description: "What its kind needs to know, by name, such as context",
});
const LostAfter = Type.Union([Duration, Type.Null()], {
  description: "After this long out of reach its jobs count as lost; null = they are waited for",
});
const Kubeconfig = Text(
  262_144,
  "A kubeconfig with everything in it: kubectl config view --flatten --minify --raw. It is sealed and never shown",
);

export const EngineCapabilities = Type.Object({
  images: Type.Boolean({ description: "Runs container images" }),
  withoutImage: Type.Boolean({ description: "Runs jobs that name no image" }),
  isolation: Type.Array(Type.Enum(["whole", "mig", "mps", "timeslice"])),
  workdir: Type.Boolean({ description: "Takes workdir as a directory of the node" }),
  code: Type.Boolean({ description: "Brings the user's files to the work folder" }),
  mounts: Type.Boolean({ description: "Shows volumes and outputs of other jobs" }),
});
export type EngineCapabilities = Static<typeof EngineCapabilities>;

export const EngineShape = Type.Object({
  name: Type.String(),
  kind: Type.Enum([...engineKinds]),
  reach: Type.Enum(["reachable", "connecting", "unreachable"], {
    description: "connecting: not reached yet since the server started or the engine was created",
  }),
  since: Type.Optional(Timestamp),
  lostAt: Type.Optional(Timestamp),
  error: Type.Optional(
    Type.String({ description: "What stands in the way, or did last; told to people who may change engines" }),
  ),
  version: Type.Optional(Type.String({ description: "What answers there, such as Kubernetes v1.37.1" })),
  capabilities: Type.Optional(EngineCapabilities),
  nodes: Type.Integer(),
  gpus: Type.Integer(),
  gpusHeld: Type.Number({ description: "GPUs that jobs hold" }),
  gpusFree: Type.Number({ description: "GPUs that jobs can have now: none where the engine takes nothing new" }),
  cordoned: Type.Optional(Type.String({ description: "Why it takes nothing new" })),
  leaving: Type.Boolean({ description: "It is being emptied and then deleted" }),
  lostAfter: LostAfter,
  settings: Type.Optional(Type.Record(Type.String(), Type.String())),
  credentials: Type.Enum(["none", "kept", "missing", "start-file"], {
    description: "none: it needs none; missing: they were lost and must be given again",
  }),
  fromStart: Type.Boolean({ description: "Given when the server was started; not to be deleted or changed here" }),
  createdAt: Type.Optional(Timestamp),
  may: May("engine"),
});
export type EngineShape = Static<typeof EngineShape>;
export const EnginePage = Page(EngineShape);

export const EngineCreate = Type.Object(
  {
    name: FleetName("The name of the engine, such as east"),
    kind: Type.Enum(["kubernetes", "simulated"]),
    kubeconfig: Type.Optional(Kubeconfig),
    settings: Type.Optional(Settings),
    lostAfter: Type.Optional(LostAfter),
  },
  { additionalProperties: false },
);
export type EngineCreate = Static<typeof EngineCreate>;

/** A setting that is null is taken away; what is left out stays. */
export const EngineEdit = Type.Object(
  {
    kubeconfig: Type.Optional(Kubeconfig),
    settings: Type.Optional(
      Type.Record(Type.String({ pattern: "^[A-Za-z][A-Za-z0-9]{0,62}$" }), Type.Union([Line(500), Type.Null()]), {
        additionalProperties: false,
        maxProperties: 32,
      }),
    ),
    lostAfter: Type.Optional(LostAfter),
  },
  { additionalProperties: false },
);
export type EngineEdit = Static<typeof EngineEdit>;
