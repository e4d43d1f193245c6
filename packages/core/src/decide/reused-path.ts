import { legsOfEntry } from "../bill/entry-legs.ts";
import { spelled } from "../bill/invoice.ts";
import type { Event } from "../journal/event.ts";
import type { SpelledEntry } from "../journal/money-event.ts";
import type { Instant } from "../model/units.ts";
import type { Contract } from "../money/price.ts";
import { type Hold, serialsOf } from "../state/books.ts";
import { formerBook } from "../state/holders.ts";
import type { State } from "../state/state.ts";

/**
 * What a new account must not inherit from a deleted one with the same path: its budget, how it was billed, its
 * contracts, what it had set aside and what it owed. Nothing of that is lost: it stays in the books of the former tenant.
 */
export function endWhatWasFormer(state: State, path: string, now: Instant): Event[] {
  const former = state.former.get(path);
  if (former === undefined) return [];
  const { budgets, tenants, contracts } = state.books;
  return [
    ...(budgets.has(path) ? [{ kind: "budget-dropped", v: 1, at: now, account: path } as const] : []),
    ...(tenants.has(path) ? [{ kind: "tenant-billed", v: 1, at: now, tenant: path, mode: "chargeback" } as const] : []),
    ...endedContracts([...contracts.values()], path, now).map(
      (contract) => ({ kind: "contract-set", v: 1, at: now, contract }) as const,
    ),
    ...entriesThatClose(state, path, formerBook(path, former.length), now),
  ];
}

/** Setting a contract drops all that begin at or after it, so those after the first that must end are set again. */
function endedContracts(all: readonly Contract[], tenant: string, now: Instant): Contract[] {
  const own = all.filter((each) => each.tenant === tenant).sort((a, b) => a.fromAt - b.fromAt);
  const first = own.findIndex(({ toAt }) => toAt > now);
  if (first < 0) return [];
  const begun = own.slice(first).filter(({ fromAt }) => fromAt < now);
  if (begun.length > 0) return begun.map((contract) => ({ ...contract, toAt: Math.min(contract.toAt, now) }));
  return [{ ...own[first]!, fromAt: now, toAt: now }];
}

type Posted = Omit<SpelledEntry, "no" | "at">;

/** Carries what is left in the books of a tenant over to those of the former one, and gives back what is set aside. */
function entriesThatClose({ books }: State, tenant: string, book: string, now: Instant): Event[] {
  const carried = [...books.balances].flatMap(([key, micros]) => carryOver(key, micros, tenant, book));
  const released = [...books.holds].flatMap(([key, hold]) =>
    hold.tenant === tenant ? releaseOf(key, hold, book) : [],
  );
  const { nextEntry } = serialsOf(books, tenant);
  return [...carried, ...released].map((entry, i) => {
    const posted = { no: nextEntry + i, at: now, ...entry };
    return { kind: "entry-posted", v: 1, at: now, tenant, entry: posted, own: true };
  });
}

const booksOfTenants: ReadonlySet<string> = new Set(["tenant", "reservation", "lender"]);

/** `key` is that of a balance: `EUR tenant/acme/owed`. */
function carryOver(key: string, micros: bigint, tenant: string, book: string): Posted[] {
  const [currency, account] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];
  const [kind, name, ...rest] = account.split("/");
  if (micros === 0n || name !== tenant || !booksOfTenants.has(kind!)) return [];
  const legs = [
    { account: [kind, book, ...rest].join("/"), micros: String(micros) },
    { account, micros: String(-micros) },
  ];
  return [{ kind: "adjustment", currency, legs, memo: `carried over: ${tenant} was deleted, its name given again` }];
}

function releaseOf(key: number | string, { tenant, currency, micros }: Hold, book: string): Posted {
  const legs = spelled(legsOfEntry("void", book, 0n, micros)) as SpelledEntry["legs"];
  const of = typeof key === "number" ? key : Number(key.slice(key.lastIndexOf("/") + 1));
  return { kind: "void", currency, legs, of, memo: `${tenant} was deleted` };
}
