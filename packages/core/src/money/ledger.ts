import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";
/** `tenant/acme/owed`, `reservation/acme`, `lender/acme`, `revenue/burst`, `idle-pool`, `adjustments`, `rounding`, `cash`. */
export type LedgerAccount = string;

/** A leg takes from an account (below zero) or gives to it. */
export interface Leg {
  readonly account: LedgerAccount;
  readonly micros: Micros;
}

export const entryKinds = ["charge", "credit", "adjustment", "rounding", "payment", "hold", "post", "void"] as const;

export type EntryKind = (typeof entryKinds)[number];

/** Written once; the legs of an entry add up to nothing. What was wrong is put right by another entry that names it. */
export interface LedgerEntry {
  /** Gapless from 1. */
  readonly no: number;
  readonly kind: EntryKind;
  readonly at: Instant;
  readonly currency: string;
  readonly legs: readonly Leg[];
  /** The invoice and the line that it books. */
  readonly invoice?: string;
  readonly line?: number;
  /** The entry that it corrects, posts or voids. */
  readonly of?: number;
  readonly memo: string;
}
