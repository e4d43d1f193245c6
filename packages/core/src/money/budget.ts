import type { Instant } from "../model/units.ts";
import type { Micros } from "./amount.ts";

/** What happens when a budget is spent: a word to those concerned; nothing new; burst work leaves too; all work leaves. */
export const budgetStops = ["alert", "refuse-new", "stop-burst", "stop-all"] as const;
export type BudgetStop = (typeof budgetStops)[number];

/** What an account and everything below it may spend in each period. */
export interface Budget {
  readonly account: string;
  readonly currency: string;
  readonly limitMicros: Micros;
  readonly every: "month" | "once";
  /** Parts of the limit at which those concerned are told. */
  readonly alertsPerMille: readonly number[];
  readonly stop: BudgetStop;
  readonly revision: number;
}

/** Where a budget stands. */
export interface BudgetStanding {
  readonly account: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly limitMicros: Micros;
  readonly spentMicros: Micros;
  /** What it will come to at the end of the period if everything goes on as now. */
  readonly forecastMicros: Micros;
  /** When it will be spent at that rate. */
  readonly spentAt?: Instant;
  readonly stopped: BudgetStop | "none";
}
