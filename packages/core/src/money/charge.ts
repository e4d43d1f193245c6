import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";

/**
 * What a charge is for. `reserved`: a floor, used or not. `burst`: GPUs beyond the floor. `lent`: the credit of the
 * tenant that lent them. `lost-work`: the credit for work that a preemption or a lost node destroyed. `idle`: a share
 * of unused capacity. `minimum`: the difference to the minimum amount. `correction`: a change to a closed period.
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

/** Identifies a line of an invoice, together with its price. */
export interface LineKey {
  readonly kind: ChargeKind;
  readonly account: string;
  /** A model, or the entry of a quota for `reserved`; empty where there is none. */
  readonly model: string;
  readonly profile: string;
  readonly isolation: string;
  readonly topology: string;
  readonly version: string;
  /** The multiplier of the time of day. */
  readonly perMille: number;
  /** Of use in a pool of nodes: its name and its multiplier; absent = in none. */
  readonly pool?: string;
  readonly poolPerMille?: number;
}

/** One priced hour of a line; less where a price or the period begins or ends within it. */
export interface Charge extends LineKey {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** Unit-ms of GPUs, millicore-ms or MiB-ms. */
  readonly quantity: bigint;
  readonly micros: Micros;
}

/**
 * All charges of one key in a period. The money is rounded once, here. Each hour is priced as the growth of the rounded
 * sum, so that the hours add up to the line exactly.
 */
export interface InvoiceLine extends LineKey {
  readonly quantity: bigint;
  /** Price of one GPU-hour, core-hour or GiB-hour, in micros: `numerator / denominator`. */
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly micros: Micros;
  /** Of a correction: the line of an earlier invoice that it corrects; absent where there was none. */
  readonly corrects?: string;
  /** Of a correction: the closed period that it corrects, and the kind of charge. */
  readonly correctsPeriod?: string;
  readonly correctsKind?: ChargeKind;
}
