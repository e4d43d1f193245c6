import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";

/**
 * `tenant/acme/owed`, `reservation/acme`, `lender/acme`, `revenue/burst`, `idle-pool`, `adjustments`, `rounding` or
 * `cash`.
 */
export type LedgerAccount = string;

/** A leg adds to an account, or takes from it (below zero). */
export interface Leg {
  readonly account: LedgerAccount;
  readonly micros: Micros;
}

export const entryKinds = ["charge", "credit", "adjustment", "rounding", "payment", "hold", "post", "void"] as const;

export type EntryKind = (typeof entryKinds)[number];

/** Written once and never changed; a mistake is corrected by another entry that names it. The legs add up to 0. */
export interface LedgerEntry {
  /** Counts from 1 without gaps. */
  readonly no: number;
  readonly kind: EntryKind;
  readonly at: Instant;
  readonly currency: string;
  readonly legs: readonly Leg[];
  /** The invoice and the line that the entry books. */
  readonly invoice?: string;
  readonly line?: number;
  /** The entry that this one corrects, posts or voids. */
  readonly of?: number;
  readonly memo: string;
}
