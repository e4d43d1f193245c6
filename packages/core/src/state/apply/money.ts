import type { EntryPosted, InvoiceIssued, MoneyEvent, SpelledEntry } from "../../journal/money-event.ts";
import type { Instant } from "../../model/units.ts";
import { type Books, type Hold, holdKey, serialsOf, setContract } from "../books.ts";
import type { State } from "../state.ts";

/** The part of `apply` that keeps the books. */
export function applyToBooks(state: State, event: MoneyEvent): void {
  const { books } = state;
  switch (event.kind) {
    case "price-added":
      books.versions.push(event.version);
      lookAtPrices(state, event.at);
      return;
    case "prices-foreseen":
      books.ahead = event.ahead;
      lookAtPrices(state, event.at);
      return;
    case "own-budget-spent":
      return; // a notice for the job's user; the stop of the job is an event of its own
    case "contract-set":
      setContract(books, event.contract);
      lookAtPrices(state, event.at);
      return;
    case "tenant-billed": {
      const { mode, creditLimitMicros: limit } = event;
      books.tenants.set(event.tenant, { mode, ...(limit !== undefined && { creditLimitMicros: BigInt(limit) }) });
      return;
    }
    case "budget-set": {
      const { account, limitMicros } = event.budget;
      const revision = (books.budgets.get(account)?.revision ?? 0) + 1;
      books.budgets.set(account, { ...event.budget, limitMicros: BigInt(limitMicros), revision });
      return;
    }
    case "budget-dropped":
      books.budgets.delete(event.account);
      books.reached.delete(event.account);
      books.foreseen.delete(event.account);
      state.waiting.roomChanged();
      return;
    case "budget-reached":
      books.reached.set(event.account, { stop: event.stop, perMille: event.perMille });
      state.waiting.roomChanged();
      return;
    case "budget-foreseen":
      if (event.over) books.foreseen.add(event.account);
      else books.foreseen.delete(event.account);
      return;
    case "credit-reached":
      if (event.reached) books.creditReached.add(event.tenant);
      else books.creditReached.delete(event.tenant);
      state.waiting.roomChanged();
      return;
    case "invoice-issued":
      books.closedUntil.set(event.tenant, event.period.toAt);
      countNumbers(books, event, event.entries.length, 1);
      for (const entry of event.entries) book(state, entry);
      return;
    case "entry-posted":
      countNumbers(books, event, 1, 0);
      book(state, event.entry);
      noteHold(books, event);
      return;
  }
}

/** Checks jobs with a `max_price` now; that check sets the timer for the next change of a price. */
export function lookAtPrices({ timers }: State, now: Instant): void {
  timers.addOnce({ at: now, kind: "price", subject: 0 });
}

/** Numbers that an event has used: of the tenant's own, or of all tenants in a journal from before. */
function countNumbers(
  books: Books,
  { tenant, own }: InvoiceIssued | EntryPosted,
  entries: number,
  invoices: number,
): void {
  if (own) {
    const { nextEntry, nextInvoice } = serialsOf(books, tenant);
    books.serials.set(tenant, { nextEntry: nextEntry + entries, nextInvoice: nextInvoice + invoices });
    return;
  }
  books.nextEntry += entries;
  books.nextInvoice += invoices;
}

function noteHold(books: Books, { tenant, entry, own }: EntryPosted): void {
  if (entry.kind === "hold") books.holds.set(own ? `${tenant}/${entry.no}` : entry.no, holdOf(tenant, entry));
  if (entry.kind === "post" || entry.kind === "void") books.holds.delete(holdKey(books, tenant, entry.of!));
}

function book({ books }: State, { currency, legs }: SpelledEntry): void {
  for (const { account, micros } of legs) {
    const key = `${currency} ${account}`;
    books.balances.set(key, (books.balances.get(key) ?? 0n) + BigInt(micros));
  }
}

function holdOf(tenant: string, { currency, legs }: SpelledEntry): Hold {
  return { tenant, currency, micros: BigInt(legs[0]!.micros) };
}
