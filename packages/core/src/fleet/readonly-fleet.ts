import type { FleetNode } from "../model/node.ts";
import type { Fleet } from "./fleet.ts";

type Changes =
  | "addNode"
  | "changeNode"
  | "holdEngine"
  | "removeNode"
  | "skipRemoved"
  | "modelNo"
  | "engineNo"
  | "take"
  | "give"
  | "countLeaving"
  | "hold"
  | "unhold"
  | "touch"
  | "share"
  | "neighboursChanged";

/** The fleet as everything but `apply` sees it: no query can change it. */
export type ReadonlyFleet = Readonly<
  Omit<Fleet, Changes | "nodes" | "nodeByName" | "models" | "modelEngine" | "engines" | "maintained">
> & {
  readonly nodes: readonly (FleetNode | undefined)[];
  readonly nodeByName: ReadonlyMap<string, FleetNode>;
  readonly models: readonly string[];
  readonly modelEngine: readonly number[];
  readonly engines: readonly string[];
  readonly maintained: ReadonlySet<FleetNode["no"]>;
};
