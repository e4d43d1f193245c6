import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";
import type { InvoiceLine } from "./charge.ts";

export interface Period {
  /** `2026-11`. */
  readonly label: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** The zone in which the period begins and ends; only for display. */
  readonly zone: string;
}

/** What a tenant owes for a period. A pure function of the metered records and the price book. */
export interface Invoice {
  readonly tenant: string;
  readonly period: Period;
  readonly currency: string;
  /** With `chargeback` the tenant owes the total, with `showback` it is only shown. */
  readonly mode: "chargeback" | "showback";
  readonly lines: readonly InvoiceLine[];
  /** Sum of the lines above zero, sum of the lines below, and what rounding to a payable amount adds. */
  readonly chargesMicros: Micros;
  readonly creditsMicros: Micros;
  readonly roundingMicros: Micros;
  readonly totalMicros: Micros;
  readonly ratingVersion: number;
}

/** An invoice line with its amounts as text, for the journal and the network. */
export type SpelledLine = Omit<InvoiceLine, "quantity" | "numerator" | "denominator" | "micros"> & {
  readonly [Field in "quantity" | "numerator" | "denominator" | "micros"]: string;
};
