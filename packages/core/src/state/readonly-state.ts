import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { State } from "./state.ts";

/** Collections without what changes them. */
type Unchanging<Field> =
  Field extends Map<infer Key, infer Value>
    ? ReadonlyMap<Key, Value>
    : Field extends Set<infer Value>
      ? ReadonlySet<Value>
      : Field extends (infer Entry)[]
        ? readonly Entry[]
        : Field;

/** Memos of pure functions of the state: a query may fill them, which changes no answer. */
type Memos = "paths" | "floors" | "wishes" | "burst" | "victimClasses" | "endings";

/**
 * The state as everything but `apply` sees it. What explains, renders or searches takes this, so that a query which would
 * change the state does not compile.
 */
export type ReadonlyState = Readonly<Pick<State, Memos>> & {
  readonly [Name in Exclude<keyof State, Memos | keyof Views>]: Unchanging<State[Name]>;
} & Views;

interface Views {
  readonly fleet: ReadonlyFleet;
  readonly waiting: Readonly<
    Omit<
      State["waiting"],
      "add" | "remove" | "reorder" | "splitByUser" | "regroup" | "roomChanged" | "heldChanged" | "listener"
    >
  >;
  readonly timers: Pick<State["timers"], "nextAt">;
  readonly jobs: Omit<State["jobs"], "set" | "delete">;
  readonly jobById: Omit<State["jobById"], "add" | "delete">;
  readonly active: Omit<State["active"], "add" | "delete">;
  readonly coveredBy: Omit<State["coveredBy"], "add" | "delete">;
  readonly leases: Omit<State["leases"], "count">;
  readonly resumable: Omit<State["resumable"], "add" | "delete">;
  readonly load: Pick<State["load"], "ofTenant" | "ofUser">;
  readonly offerKinds: Omit<State["offerKinds"], "note" | "forget">;
  readonly nodePools: Omit<State["nodePools"], "change" | "note">;
  readonly slots: object;
}
