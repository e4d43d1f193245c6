import type { Account } from "../model/account.ts";
import type { Instant } from "../model/units.ts";
import type { Invoice } from "../money/invoice.ts";
import type { FormerAccount } from "./former.ts";
import type { ReadonlyState } from "./readonly-state.ts";

type Formers = Pick<ReadonlyState, "former">;

/**
 * The first instant from which records under the path of an account are its own. What is older was recorded of a deleted
 * account and belongs to the nearest account above; 0 where no other account had the path.
 */
export function ownSince({ former }: Formers, { path, createdAt }: Pick<Account, "path" | "createdAt">): Instant {
  return former.has(path) ? createdAt : 0;
}

/** One of the tenants that had a name, one after the other, and the time whose records under that name are its own. */
export interface Holder {
  /** Counts from 1. */
  readonly no: number;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly mode: Invoice["mode"];
  /** The name of its books in the ledger. */
  readonly book: string;
}

/** Whether a tenant owes what it is shown, unless that was set. */
const usualMode = "chargeback";

/** The tenants that had a name, oldest first; the last is the one that has it now, or had it last. */
export function holdersOf({ former, accountByPath, books }: ReadonlyState, tenant: string): Holder[] {
  const current = accountByPath.get(tenant);
  const mode = books.tenants.get(tenant)?.mode;
  const all: FormerAccount[] = [...(former.get(tenant) ?? [])];
  if (current !== undefined || all.length === 0)
    all.push({ createdAt: current?.createdAt ?? 0, ...(mode && { mode }) });
  return all.map((each, i) => ({
    no: i + 1,
    fromAt: i === 0 ? 0 : each.createdAt,
    toAt: all[i + 1]?.createdAt ?? Number.MAX_SAFE_INTEGER,
    mode: each.mode ?? usualMode,
    book: i === all.length - 1 ? tenant : formerBook(tenant, i + 1),
  }));
}

/** The tenant to which a record under a name belongs. */
export function holderAt(state: ReadonlyState, tenant: string, at: Instant): Holder {
  const holders = holdersOf(state, tenant);
  return holders.find(({ toAt }) => at < toAt) ?? holders.at(-1)!;
}

/** `acme~1`: no account can have this name. */
export function formerBook(tenant: string, no: number): string {
  return `${tenant}~${no}`;
}

/** Whether a book of the ledger, such as `tenant/acme~1/owed`, is that of a tenant whose name another one has. */
export function isFormerBook(account: string): boolean {
  return account.includes("~");
}
