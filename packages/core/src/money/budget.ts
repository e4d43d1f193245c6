import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";

/**
 * What happens when a budget is spent: only an alert; new jobs are refused; burst jobs are stopped too; all jobs are
 * stopped.
 */
export const budgetStops = ["alert", "refuse-new", "stop-burst", "stop-all"] as const;
export type BudgetStop = (typeof budgetStops)[number];

/** How much an account and everything below it may spend in each period. */
export interface Budget {
  readonly account: string;
  readonly currency: string;
  readonly limitMicros: Micros;
  readonly every: "month" | "once";
  /** Fractions of the limit at which an alert is sent. */
  readonly alertsPerMille: readonly number[];
  readonly stop: BudgetStop;
  readonly revision: number;
}

/** How much of a budget is spent. */
export interface BudgetStanding {
  readonly account: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly limitMicros: Micros;
  readonly spentMicros: Micros;
  /** Expected spending at the end of the period at the present rate. */
  readonly forecastMicros: Micros;
  /** When the limit is reached at that rate. */
  readonly spentAt?: Instant;
  readonly stopped: BudgetStop | "none";
}
