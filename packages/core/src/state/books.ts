import type { Instant } from "../model/units.ts";
import type { Budget, BudgetStop } from "../money/budget.ts";
import type { Invoice } from "../money/invoice.ts";
import type { Contract, PricesAhead, PriceVersion } from "../money/price.ts";

/** What is set aside for something that is not decided yet. */
export interface Hold {
  readonly tenant: string;
  readonly currency: string;
  readonly micros: bigint;
}

/** How a tenant is billed; by invoice and for real where nothing was said. */
export interface BilledAs {
  readonly mode: Invoice["mode"];
  readonly creditLimitMicros?: bigint;
}

/** Where a budget stands, as far as something followed from it. */
export interface Reached {
  readonly stop: BudgetStop | "none";
  readonly perMille: number;
}

/** Everything about money that is live. Invoices and entries themselves are read from the journal's projections. */
export interface Books {
  /** Oldest first. */
  readonly versions: PriceVersion[];
  /** By tenant and beginning: what was agreed for a time that is over still holds for it. */
  readonly contracts: Map<string, Contract>;
  /** What times of day cost, from price lists that tell hours apart; who has a `max_price` waits for the cheap ones. */
  ahead: PricesAhead;
  readonly tenants: Map<string, BilledAs>;
  readonly budgets: Map<string, Budget>;
  readonly reached: Map<string, Reached>;
  /** Accounts whose budget will be passed at the rate of now. */
  readonly foreseen: Set<string>;
  /** Tenants that owe as much as their credit limit. */
  readonly creditReached: Set<string>;
  /** By `currency account`. */
  readonly balances: Map<string, bigint>;
  readonly holds: Map<number, Hold>;
  /** Up to when each tenant has been invoiced. */
  readonly closedUntil: Map<string, Instant>;
  nextEntry: number;
  nextInvoice: number;
}

export function emptyBooks(): Books {
  return {
    ...{
      versions: [],
      contracts: new Map(),
      ahead: { fromAt: 0, toAt: 0, windows: [] },
      tenants: new Map(),
      budgets: new Map(),
      reached: new Map(),
      foreseen: new Set(),
      creditReached: new Set(),
    },
    ...{ balances: new Map(), holds: new Map(), closedUntil: new Map(), nextEntry: 1, nextInvoice: 1 },
  };
}

/** The number of an invoice as people see it. */
export function invoiceNumber(no: number): string {
  return `INV-${String(no).padStart(6, "0")}`;
}

/** A contract takes the place of what was agreed from its beginning on; what was agreed before holds until then. */
export function setContract({ contracts }: Books, contract: Contract): void {
  for (const [key, { tenant, fromAt }] of contracts) {
    if (tenant === contract.tenant && fromAt >= contract.fromAt) contracts.delete(key);
  }
  contracts.set(`${contract.tenant}\t${String(contract.fromAt).padStart(16, "0")}`, contract);
}
