import type { JobId } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { BudgetStop } from "../money/budget.ts";
import type { Invoice, SpelledLine } from "../money/invoice.ts";
import type { Contract, PricesAhead, PriceVersion } from "../money/price.ts";
import type { SpelledBudget } from "./money-event.ts";

/** Requests to the core about money. Amounts that may exceed 2^53 are text. */
export type MoneyCommand =
  | { readonly kind: "price.add"; readonly version: PriceVersion }
  /** Sent by the shell, which knows the time zones: the times of day of all price lists as instants. */
  | { readonly kind: "price.foresee"; readonly ahead: PricesAhead }
  /** Sent by the shell: a job has spent its own budget. */
  | { readonly kind: "job.overspend"; readonly job: JobId; readonly spentMicros: string }
  | { readonly kind: "contract.set"; readonly contract: Contract }
  | {
      readonly kind: "tenant.bill";
      readonly tenant: string;
      readonly mode: Invoice["mode"];
      readonly creditLimitMicros?: string;
    }
  | { readonly kind: "budget.set"; readonly budget: SpelledBudget }
  | { readonly kind: "budget.drop"; readonly account: string }
  /** Sent by the shell, which tracks spending. */
  | {
      readonly kind: "budget.reach";
      readonly account: string;
      readonly stop: BudgetStop | "none";
      readonly perMille: number;
      readonly spentMicros: string;
    }
  /** Sent by the shell: at the current rate the limit will be exceeded before the period ends, or no longer. */
  | {
      readonly kind: "budget.foresee";
      readonly account: string;
      readonly over: boolean;
      readonly forecastMicros: string;
      readonly spentAt?: Instant;
    }
  /** Sent by the shell: a tenant's debt has reached its credit limit, or no longer does. */
  | { readonly kind: "credit.reach"; readonly tenant: string; readonly reached: boolean; readonly owedMicros: string }
  | IssueInvoice
  | PostEntry;

/** The shell has rated the period; the core checks the sums, assigns the number and books the entries. */
export interface IssueInvoice {
  readonly kind: "invoice.issue";
  readonly tenant: string;
  readonly period: Invoice["period"];
  readonly currency: string;
  readonly mode: Invoice["mode"];
  readonly lines: readonly SpelledLine[];
  readonly totalMicros: string;
  readonly ratingVersion: number;
  readonly textHash: string;
  readonly extractRoot: string;
}

/** `micros` is above zero, except that an adjustment may have either sign. */
export interface PostEntry {
  readonly kind: "ledger.post";
  readonly tenant: string;
  readonly entry: "payment" | "hold" | "post" | "void" | "adjustment";
  readonly currency: string;
  readonly micros: string;
  readonly of?: number;
  readonly memo: string;
}
