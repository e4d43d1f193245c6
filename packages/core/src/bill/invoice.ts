import type { Instant } from "../model/units.ts";
import type { InvoiceLine } from "./charge.ts";
import type { Micros } from "./money.ts";

export interface Period {
  /** `2026-11`. */
  readonly label: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** The zone that the borders were taken from; only ever shown. */
  readonly zone: string;
}

/** Grows when the same usage and prices would give another amount; an invoice is recomputed under the version it names. */
export const ratingVersion = 1;

/** What a tenant owes for a period. A pure function of what was metered and the price book. */
export interface Invoice {
  /** `INV-000042`, gapless; drafts have none. */
  readonly number: string;
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
  /** Merkle root over the tenant's extract, hexadecimal: what the invoice was made from. */
  readonly extractRoot: string;
}
