import Type, { type Static } from "typebox";
import { May } from "../acts.ts";
import { AccountPath, Line, Page } from "./common.ts";
import { FleetName } from "./engine.ts";
import { PartTrust, PoolMode, Ratio } from "./sharing.ts";

export const labelKeyPattern = "^[A-Za-z0-9]([A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?$";
const Labels = Type.Record(Type.String({ pattern: labelKeyPattern }), Line(63), {
  additionalProperties: false,
  maxProperties: 16,
  description: "Nodes that have all of these; engine and region count as labels of every node",
});
const Tenants = Type.Array(AccountPath, {
  maxItems: 256,
  description: "Accounts at and below which jobs may use these nodes",
});
const Price = Type.String({
  pattern: "^[0-9]{1,3}(\\.[0-9]{1,3})?$",
  maxLength: 7,
  title: "a factor such as 1.5",
  description: "What the price of use beyond guarantees is multiplied by",
  examples: ["1.5"],
});

export const PoolShape = Type.Object({
  name: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  tenants: Type.Optional(
    Type.Array(Type.String(), { description: "Those that the caller may see; absent = all may use it" }),
  ),
  price: Type.String({ description: "What the price of use beyond guarantees is multiplied by" }),
  mode: Type.Optional(PoolMode),
  ratio: Type.Optional(Ratio),
  trust: Type.Optional(PartTrust),
  nodes: Type.Integer(),
  gpus: Type.Integer(),
  may: May("pool"),
});
export type PoolShape = Static<typeof PoolShape>;
export const PoolPage = Page(PoolShape);

export const PoolCreate = Type.Object(
  {
    name: FleetName("The name of the pool, such as reserved"),
    labels: Labels,
    tenants: Type.Optional(Tenants),
    price: Type.Optional(Price),
    mode: Type.Optional(PoolMode),
    ratio: Type.Optional(Ratio),
    trust: Type.Optional(PartTrust),
  },
  { additionalProperties: false },
);
export type PoolCreate = Static<typeof PoolCreate>;

/** A pool that is not made yet, or whose labels are not changed yet. */
export const PoolPreviewBody = Type.Object(
  {
    name: FleetName("The name of the pool: a node belongs to the first, by name, whose labels it has"),
    labels: Labels,
  },
  { additionalProperties: false },
);
const NodesOfPool = Type.Object({ pool: Type.String(), nodes: Type.Integer() });
/** The nodes that would belong to it. Nothing is changed. */
export const PoolPreview = Type.Object({
  nodes: Type.Integer(),
  gpus: Type.Integer(),
  taken: Type.Array(NodesOfPool, { description: "Of these nodes, those that belong to another pool now" }),
  left: Type.Array(NodesOfPool, {
    description: "Nodes with these labels that stay with a pool whose name comes before",
  }),
});
export type PoolPreview = Static<typeof PoolPreview>;

/** What is left out stays. `null` takes back what was said: all tenants, the mode of each node, parts of every tenant. */
export const PoolEdit = Type.Object(
  {
    labels: Type.Optional(Labels),
    tenants: Type.Optional(Type.Union([Tenants, Type.Null()])),
    price: Type.Optional(Price),
    mode: Type.Optional(Type.Union([PoolMode, Type.Null()])),
    ratio: Type.Optional(Ratio),
    trust: Type.Optional(Type.Union([PartTrust, Type.Null()])),
  },
  { additionalProperties: false },
);
export type PoolEdit = Static<typeof PoolEdit>;
