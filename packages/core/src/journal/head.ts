import type { Instant } from "../model/units.ts";

/** The fields that all events have. */
export interface Head<Kind extends string> {
  readonly kind: Kind;
  readonly v: 1;
  readonly at: Instant;
}
