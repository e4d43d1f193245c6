import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";
import type { InvoiceLine } from "./charge.ts";
export interface Period {
  /** `2026-11`. */
  readonly label: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** The zone that the borders were taken from; only ever shown. */
  readonly zone: string;
}

/** What a tenant owes for a period. A pure function of what was metered and the price book. */
export interface Invoice {
  readonly tenant: string;
  readonly period: Period;
  readonly currency: string;
  readonly mode: "chargeback" | "showback";
  readonly lines: readonly InvoiceLine[];
  /** Of lines above zero, of lines below, and what rounding to an amount that can be paid adds. */
  readonly chargesMicros: Micros;
  readonly creditsMicros: Micros;
  readonly roundingMicros: Micros;
  readonly totalMicros: Micros;
  readonly ratingVersion: number;
}

/** A line that was spelled. */
export type SpelledLine = Omit<InvoiceLine, "quantity" | "numerator" | "denominator" | "micros"> & {
  readonly [Field in "quantity" | "numerator" | "denominator" | "micros"]: string;
};
