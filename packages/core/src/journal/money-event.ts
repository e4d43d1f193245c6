import type { JobNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { Budget, BudgetStop } from "../money/budget.ts";
import type { Invoice, SpelledLine } from "../money/invoice.ts";
import type { LedgerEntry } from "../money/ledger.ts";
import type { Contract, PricesAhead, PriceVersion } from "../money/price.ts";
import type { Head } from "./head.ts";

/** Decisions about money. Amounts that may exceed 2^53 are text. */
export type MoneyEvent =
  | PriceAdded
  | PricesForeseen
  | OwnBudgetSpent
  | ContractSet
  | TenantBilled
  | BudgetSet
  | BudgetDropped
  | BudgetReached
  | BudgetForeseen
  | CreditReached
  | InvoiceIssued
  | EntryPosted;

export interface PriceAdded extends Head<"price-added"> {
  readonly version: PriceVersion;
}
/** The prices by time of day from now on, as far ahead as they are known. */
export interface PricesForeseen extends Head<"prices-foreseen"> {
  readonly ahead: PricesAhead;
}
/** A job has spent its own budget: it is asked to stop, or does not start again. */
export interface OwnBudgetSpent extends Head<"own-budget-spent"> {
  readonly job: JobNo;
  readonly budgetMicros: string;
  readonly spentMicros: string;
}
/** Replaces the tenant's previous contract. */
export interface ContractSet extends Head<"contract-set"> {
  readonly contract: Contract;
}
export interface TenantBilled extends Head<"tenant-billed"> {
  readonly tenant: string;
  readonly mode: Invoice["mode"];
  /** Absent = no credit limit: the tenant pays by invoice. */
  readonly creditLimitMicros?: string;
}

export type SpelledBudget = Omit<Budget, "limitMicros" | "revision"> & { readonly limitMicros: string };
export interface BudgetSet extends Head<"budget-set"> {
  readonly budget: SpelledBudget;
}
export interface BudgetDropped extends Head<"budget-dropped"> {
  readonly account: string;
}
/** A threshold or the limit was passed; `none` ends the effect of the limit. */
export interface BudgetReached extends Head<"budget-reached"> {
  readonly account: string;
  readonly stop: BudgetStop | "none";
  /** The highest threshold that was passed, in thousandths of the limit. */
  readonly perMille: number;
  readonly spentMicros: string;
}

/** At the current rate the limit will be exceeded before the period ends (`over`), or no longer. */
export interface BudgetForeseen extends Head<"budget-foreseen"> {
  readonly account: string;
  readonly over: boolean;
  readonly forecastMicros: string;
  /** When the limit will be reached. */
  readonly spentAt?: Instant;
}

/** A tenant's debt, with usage that is not invoiced yet, has reached its credit limit, or no longer does. */
export interface CreditReached extends Head<"credit-reached"> {
  readonly tenant: string;
  readonly reached: boolean;
  readonly owedMicros: string;
}

export type SpelledEntry = Omit<LedgerEntry, "legs"> & {
  readonly legs: readonly { readonly account: string; readonly micros: string }[];
};
/** Closes a period for a tenant. From now on its lines are corrected only by later ones. */
export interface InvoiceIssued extends Head<"invoice-issued"> {
  readonly number: string;
  readonly tenant: string;
  readonly period: Invoice["period"];
  readonly currency: string;
  readonly mode: Invoice["mode"];
  readonly lines: readonly SpelledLine[];
  readonly totalMicros: string;
  readonly ratingVersion: number;
  /** SHA-256 of the invoice's text, and the Merkle root of the extract behind it; hexadecimal. */
  readonly textHash: string;
  readonly extractRoot: string;
  readonly entries: readonly SpelledEntry[];
  /** Its number and those of its entries count only what the tenant has; absent = those of all tenants. */
  readonly own?: true;
}
export interface EntryPosted extends Head<"entry-posted"> {
  readonly tenant: string;
  readonly entry: SpelledEntry;
  /** As of `invoice-issued`. */
  readonly own?: true;
}
