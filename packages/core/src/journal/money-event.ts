import type { JobNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { Budget, BudgetStop } from "../money/budget.ts";
import type { Invoice, SpelledLine } from "../money/invoice.ts";
import type { LedgerEntry } from "../money/ledger.ts";
import type { Contract, PricesAhead, PriceVersion } from "../money/price.ts";
import type { Head } from "./head.ts";

/** What was decided about money. Amounts that may pass 2^53 are text. */
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
/** What times of day cost from now on, as far as that is known ahead. */
export interface PricesForeseen extends Head<"prices-foreseen"> {
  readonly ahead: PricesAhead;
}
/** A job has used up its own budget; it is asked to leave, or does not start any more. */
export interface OwnBudgetSpent extends Head<"own-budget-spent"> {
  readonly job: JobNo;
  readonly budgetMicros: string;
  readonly spentMicros: string;
}
/** Takes the place of what was agreed with the tenant before. */
export interface ContractSet extends Head<"contract-set"> {
  readonly contract: Contract;
}
export interface TenantBilled extends Head<"tenant-billed"> {
  readonly tenant: string;
  readonly mode: Invoice["mode"];
  /** Absent = pays by invoice. */
  readonly creditLimitMicros?: string;
}

export type SpelledBudget = Omit<Budget, "limitMicros" | "revision"> & { readonly limitMicros: string };
export interface BudgetSet extends Head<"budget-set"> {
  readonly budget: SpelledBudget;
}
export interface BudgetDropped extends Head<"budget-dropped"> {
  readonly account: string;
}
/** A threshold was passed, or the limit; `none` ends what the limit brought about. */
export interface BudgetReached extends Head<"budget-reached"> {
  readonly account: string;
  readonly stop: BudgetStop | "none";
  /** The highest part of the limit that was passed. */
  readonly perMille: number;
  readonly spentMicros: string;
}

/** At the rate of now the limit will be passed before the period ends (`over`), or no longer. */
export interface BudgetForeseen extends Head<"budget-foreseen"> {
  readonly account: string;
  readonly over: boolean;
  readonly forecastMicros: string;
  /** When it will be spent. */
  readonly spentAt?: Instant;
}

/** A tenant owes as much as its credit limit, with what is not invoiced yet; or no longer. */
export interface CreditReached extends Head<"credit-reached"> {
  readonly tenant: string;
  readonly reached: boolean;
  readonly owedMicros: string;
}

export type SpelledEntry = Omit<LedgerEntry, "legs"> & {
  readonly legs: readonly { readonly account: string; readonly micros: string }[];
};
/** Closes a period for a tenant. From now on the lines are only ever corrected by later ones. */
export interface InvoiceIssued extends Head<"invoice-issued"> {
  readonly number: string;
  readonly tenant: string;
  readonly period: Invoice["period"];
  readonly currency: string;
  readonly mode: Invoice["mode"];
  readonly lines: readonly SpelledLine[];
  readonly totalMicros: string;
  readonly ratingVersion: number;
  /** SHA-256 of the invoice's text, and the Merkle root over the extract it was made from; hexadecimal. */
  readonly textHash: string;
  readonly extractRoot: string;
  readonly entries: readonly SpelledEntry[];
}
export interface EntryPosted extends Head<"entry-posted"> {
  readonly tenant: string;
  readonly entry: SpelledEntry;
}
