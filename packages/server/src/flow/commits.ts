import type { Event, Instant, ReadonlyState } from "@tessera/core";

/** A batch that has become durable, as followers see it. */
export interface Committed {
  readonly seq: number;
  readonly at: Instant;
  readonly events: readonly Event[];
}

/** Follows what becomes durable. */
export interface CommitListener {
  /** One event that is about to be written into the replica. */
  before?(event: Event, state: ReadonlyState, seq: number): void;
  after?(batch: Committed, state: ReadonlyState): void;
}
