import type { Event, ReadonlyState } from "@tessera/core";
import type { Denial } from "../answer/problem.ts";

/** One change of a watched list. */
export type Change =
  | { readonly event: "put"; readonly item: object }
  | { readonly event: "delete"; readonly id: string };

/** A list as one watcher sees it. Remembers what it has told, so that it can tell what is different. */
export interface Source {
  /** The list as it is now, cut to the limit that was asked for; reading it stops when the watcher has left. */
  sync(left: AbortSignal): Promise<readonly object[] | Denial> | readonly object[] | Denial;
  /** What is different since the last time. */
  changes(): Promise<readonly Change[]> | readonly Change[];
  /** Shown each event while the state is still without it. */
  see?(event: Event, state: ReadonlyState): void;
  /** There is more to tell than the last look told: it looks again, although nothing happens. */
  readonly more?: boolean;
  /** How much it has seen and not told yet. */
  readonly backlog?: number;
  /** The least time between two looks; a list that is costly to compare is looked at less often. */
  readonly everyMs: number;
}
