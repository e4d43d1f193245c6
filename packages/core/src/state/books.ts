import type { Instant } from "../model/units.ts";
import type { Budget, BudgetStop } from "../money/budget.ts";
import type { Invoice } from "../money/invoice.ts";
import type { Contract, PricesAhead, PriceVersion } from "../money/price.ts";

/** Money set aside until it is spent or released. */
export interface Hold {
  readonly tenant: string;
  readonly currency: string;
  readonly micros: bigint;
}

/** How a tenant is billed; by real invoices unless it was set. */
export interface BilledAs {
  readonly mode: Invoice["mode"];
  readonly creditLimitMicros?: bigint;
}

/** The last threshold that a budget has reached, and what stops because of it. */
export interface Reached {
  readonly stop: BudgetStop | "none";
  readonly perMille: number;
}

/** The live part of the books. Invoices and entries themselves are read from the journal's projections. */
export interface Books {
  /** Oldest first. */
  readonly versions: PriceVersion[];
  /** By tenant and first instant: an older contract still prices the time in which it was in force. */
  readonly contracts: Map<string, Contract>;
  /** Prices of the hours to come, from price lists by time of day: jobs with a `max_price` wait for the cheap ones. */
  ahead: PricesAhead;
  readonly tenants: Map<string, BilledAs>;
  readonly budgets: Map<string, Budget>;
  readonly reached: Map<string, Reached>;
  /** Accounts that will exceed their budget at the present rate. */
  readonly foreseen: Set<string>;
  /** Tenants that owe as much as their credit limit. */
  readonly creditReached: Set<string>;
  /** By `currency account`. */
  readonly balances: Map<string, bigint>;
  /** By entry number, or by `tenant/number` for entries that count only what the tenant has. */
  readonly holds: Map<number | string, Hold>;
  /** By tenant: the end of the last invoiced period. */
  readonly closedUntil: Map<string, Instant>;
  /** The next numbers over all tenants, as they were counted once; a tenant begins its own with them. */
  nextEntry: number;
  nextInvoice: number;
  /** By tenant: the next numbers of its own. A number tells a tenant nothing about the others. */
  readonly serials: Map<string, Serials>;
}

export interface Serials {
  readonly nextEntry: number;
  readonly nextInvoice: number;
}

/** The next numbers of a tenant's own. */
export function serialsOf({ serials, nextEntry, nextInvoice }: Books, tenant: string): Serials {
  return serials.get(tenant) ?? { nextEntry, nextInvoice };
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
    ...{
      balances: new Map(),
      holds: new Map(),
      closedUntil: new Map(),
      nextEntry: 1,
      nextInvoice: 1,
      serials: new Map(),
    },
  };
}

/** The key of a hold that the tenant names by its number; of one from before there were own numbers, the number. */
export function holdKey({ holds }: Pick<Books, "holds">, tenant: string, no: number): number | string {
  return holds.get(no)?.tenant === tenant ? no : `${tenant}/${no}`;
}

/** The number of an invoice as people see it, `INV-lab-000001`. */
export function invoiceNumber(tenant: string, no: number): string {
  return `INV-${tenant}-${String(no).padStart(6, "0")}`;
}

/** A contract replaces all that begin at or after its first instant; earlier ones hold until then. */
export function setContract({ contracts }: Books, contract: Contract): void {
  for (const [key, { tenant, fromAt }] of contracts) {
    if (tenant === contract.tenant && fromAt >= contract.fromAt) contracts.delete(key);
  }
  contracts.set(`${contract.tenant}\t${String(contract.fromAt).padStart(16, "0")}`, contract);
}
