import type { Instant } from "../model/units.ts";
import type { Micros } from "./money.ts";

/** `tenant/acme/owed`, `tenant/acme/prepaid`, `revenue/burst`, `lender/acme`, `idle-pool`, `adjustments`, `rounding`, `cash`. */
export type LedgerAccount = string;

/** A leg takes from an account (below zero) or gives to it. */
export interface Leg {
  readonly account: LedgerAccount;
  readonly micros: Micros;
}

export type EntryKind = "charge" | "credit" | "adjustment" | "rounding" | "payment" | "hold" | "post" | "void";

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

/** What is missing for an entry to be sound; undefined when nothing is. */
export function faultOf(entry: Pick<LedgerEntry, "legs">): string | undefined {
  if (entry.legs.length < 2) return "an entry has at least two legs";
  let sum = 0n;
  for (const leg of entry.legs) sum += leg.micros;
  return sum === 0n ? undefined : `the legs add up to ${sum}, not to 0`;
}
