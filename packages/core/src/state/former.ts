import type { Instant } from "../model/units.ts";
import type { Invoice } from "../money/invoice.ts";

/** What is kept of an account that was deleted: its path may be given to another one. */
export interface FormerAccount {
  readonly createdAt: Instant;
  /** How it was billed, where that was set. */
  readonly mode?: Invoice["mode"];
}
