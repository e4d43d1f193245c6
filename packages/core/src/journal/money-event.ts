import type { Budget, BudgetStop } from "../bill/budget.ts";
import type { Invoice, SpelledLine } from "../bill/invoice.ts";
import type { LedgerEntry } from "../bill/ledger.ts";
import type { Contract, PriceVersion } from "../bill/price.ts";
import type { Head } from "./event.ts";

/** What was decided about money. Amounts that may pass 2^53 are text. */
export type MoneyEvent =
  | PriceAdded
  | ContractSet
  | TenantBilled
  | BudgetSet
  | BudgetDropped
  | BudgetReached
  | InvoiceIssued
  | EntryPosted;

export interface PriceAdded extends Head<"price-added"> {
  readonly version: PriceVersion;
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
