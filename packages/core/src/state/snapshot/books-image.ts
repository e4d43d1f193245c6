import type { Budget } from "../../money/budget.ts";
import type { Contract, PricesAhead, PriceVersion } from "../../money/price.ts";
import { type BilledAs, type Books, type Hold, type Reached, type Serials, setContract } from "../books.ts";

type Text<Value, Field extends keyof Value> = Omit<Value, Field> & { readonly [F in Field]: string };

/** The books in a snapshot: amounts as text, maps as lists by key. */
export interface BooksImage {
  readonly versions: readonly PriceVersion[];
  readonly contracts: readonly Contract[];
  /** Absent where no price list has times of day. */
  readonly ahead?: PricesAhead;
  readonly tenants: readonly (readonly [
    string,
    Omit<BilledAs, "creditLimitMicros"> & { creditLimitMicros?: string },
  ])[];
  readonly budgets: readonly Text<Budget, "limitMicros">[];
  readonly reached: readonly (readonly [string, Reached])[];
  /** Absent where there are none. */
  readonly foreseen?: readonly string[];
  /** Absent where there are none. */
  readonly creditReached?: readonly string[];
  readonly balances: readonly (readonly [string, string])[];
  readonly holds: readonly (readonly [number | string, Text<Hold, "micros">])[];
  readonly closedUntil: readonly (readonly [string, number])[];
  readonly nextEntry: number;
  readonly nextInvoice: number;
  /** Absent where no tenant has numbers of its own. */
  readonly serials?: readonly (readonly [string, Serials])[];
}

/** Whether the books hold anything. */
export function hasBooks({ versions, contracts, tenants, budgets, nextEntry, nextInvoice, serials }: Books): boolean {
  return versions.length + contracts.size + tenants.size + budgets.size + nextEntry + nextInvoice + serials.size > 2;
}

export function booksImage(books: Books): BooksImage {
  return {
    versions: books.versions,
    contracts: byKey(books.contracts).map(([, contract]) => contract),
    ...(books.ahead.toAt > 0 && { ahead: books.ahead }),
    tenants: byKey(books.tenants).map(([tenant, { mode, creditLimitMicros: limit }]) => [
      tenant,
      { mode, ...(limit !== undefined && { creditLimitMicros: String(limit) }) },
    ]),
    budgets: byKey(books.budgets).map(([, budget]) => ({ ...budget, limitMicros: String(budget.limitMicros) })),
    reached: byKey(books.reached),
    ...(books.foreseen.size > 0 && { foreseen: [...books.foreseen].sort() }),
    ...(books.creditReached.size > 0 && { creditReached: [...books.creditReached].sort() }),
    balances: byKey(books.balances).map(([account, micros]) => [account, String(micros)]),
    holds: byKey(books.holds).map(([no, hold]) => [no, { ...hold, micros: String(hold.micros) }]),
    closedUntil: byKey(books.closedUntil),
    nextEntry: books.nextEntry,
    nextInvoice: books.nextInvoice,
    ...(books.serials.size > 0 && { serials: byKey(books.serials) }),
  };
}

/** Fills empty books. */
export function readBooks(books: Books, image: BooksImage): void {
  books.versions.push(...image.versions);
  for (const contract of image.contracts) setContract(books, contract);
  if (image.ahead !== undefined) books.ahead = image.ahead;
  for (const [tenant, { mode, creditLimitMicros: limit }] of image.tenants) {
    books.tenants.set(tenant, { mode, ...(limit !== undefined && { creditLimitMicros: BigInt(limit) }) });
  }
  for (const budget of image.budgets) {
    books.budgets.set(budget.account, { ...budget, limitMicros: BigInt(budget.limitMicros) });
  }
  for (const [account, reached] of image.reached) books.reached.set(account, reached);
  for (const account of image.foreseen ?? []) books.foreseen.add(account);
  for (const tenant of image.creditReached ?? []) books.creditReached.add(tenant);
  for (const [account, micros] of image.balances) books.balances.set(account, BigInt(micros));
  for (const [no, hold] of image.holds) books.holds.set(no, { ...hold, micros: BigInt(hold.micros) });
  for (const [tenant, at] of image.closedUntil) books.closedUntil.set(tenant, at);
  books.nextEntry = image.nextEntry;
  books.nextInvoice = image.nextInvoice;
  for (const [tenant, serials] of image.serials ?? []) books.serials.set(tenant, serials);
}

function byKey<Key extends string | number, Value>(map: ReadonlyMap<Key, Value>): [Key, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
