import type { Instant } from "../model/units.ts";
export interface Head<Kind extends string> {
  readonly kind: Kind;
  readonly v: 1;
  readonly at: Instant;
}
