import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";

/**
 * What a charge is for. `reserved`: a floor, used or not. `burst`: GPUs beyond the floor. `lent`: the credit of whoever
 * lent them. `lost-work`: the credit for work that an eviction destroyed. `idle`: a share of what nobody used.
 * `minimum`: what was missing to the least amount. `correction`: something in a closed period has become known later.
 */
export const chargeKinds = [
  "reserved",
  "burst",
  "cpu",
  "memory",
  "stranded",
  "idle",
  "minimum",
  "lent",
  "lost-work",
  "correction",
] as const;
export type ChargeKind = (typeof chargeKinds)[number];

/** What tells one line of an invoice from another. */
export interface LineKey {
  readonly kind: ChargeKind;
  readonly account: string;
  /** A model, or the entry of a quota for `reserved`; empty where there is none. */
  readonly model: string;
  readonly profile: string;
  readonly isolation: string;
  readonly topology: string;
  readonly version: string;
  /** Of the time of day. */
  readonly perMille: number;
}

/** One priced hour (or less, where a price or a period begins in it). */
export interface Charge extends LineKey {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** Unit-ms of GPUs, millicore-ms or MiB-ms. */
  readonly quantity: bigint;
  readonly micros: Micros;
}

/**
 * All charges of one key in a period. The money is rounded once, here; its hours get what the sum so far has grown by,
 * so they add up to it and nothing is lost between them.
 */
export interface InvoiceLine extends LineKey {
  readonly quantity: bigint;
  /** Price of one GPU-hour, core-hour or GiB-hour, in micros: `numerator / denominator`. */
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly micros: Micros;
  /** Of a correction: the line of an earlier invoice that it puts right; absent where there was none. */
  readonly corrects?: string;
  /** Of a correction: the closed period that it is about, and what kind of charge it changes there. */
  readonly correctsPeriod?: string;
  readonly correctsKind?: ChargeKind;
}
