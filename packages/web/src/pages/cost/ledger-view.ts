import type { BillingShape, EntryPost, EntryShape } from "@tessera/wire";
import { legsOfEntry } from "@tessera/wire/ledger";
import { plainAmount } from "@tessera/wire/money";
import { tess } from "../../format/command.ts";
import { spellMoney } from "../../format/money.ts";

/** What each kind of entry that can be posted is for. */
export const kindWords: Readonly<Record<EntryPost["kind"], string>> = {
  payment: "payment: the tenant paid",
  adjustment: "adjustment: puts an amount right",
  hold: "hold: sets prepaid credit aside",
  post: "post: uses what a hold set aside",
  void: "void: gives back what a hold set aside",
};

/** A book of the ledger in words: `tenant/lab/owed` is what lab owes. */
export function bookWords(book: string): string {
  const [, tenant, what] = /^tenant\/(.+)\/(owed|held)$/.exec(book) ?? [];
  if (what === "owed") return `owed by ${tenant}`;
  if (what === "held") return `set aside for ${tenant}`;
  return book;
}

/** A balance as people say it: what is owed below 0 was paid in advance, and what is set aside is counted up. */
export function balanceWords(book: string, micros: string): { label: string; micros: string } {
  const [, tenant, what] = /^tenant\/(.+)\/(owed|held)$/.exec(book) ?? [];
  const [below, turned] = [micros.startsWith("-"), micros.startsWith("-") ? micros.slice(1) : `-${micros}`];
  if (what === "held") return { label: `Set aside for ${tenant}`, micros: micros === "0" ? "0" : turned };
  if (what === "owed")
    return below ? { label: `Paid in advance by ${tenant}`, micros: turned } : { label: `Owed by ${tenant}`, micros };
  return { label: book, micros };
}

/** What a tenant owes, as a clause: `lab owes 5.00 EUR`; below 0 it has paid in advance. */
export function owedWords(tenant: string, micros: string, currency: string): string {
  if (micros.startsWith("-")) return `${tenant} has paid ${spellMoney(micros.slice(1), currency)} in advance`;
  return `${tenant} owes ${micros === "0" ? "nothing" : spellMoney(micros, currency)}`;
}

/** How much an entry puts into a book. */
export function intoBook({ legs }: Pick<EntryShape, "legs">, book: string): bigint {
  return legs.reduce((sum, { account, micros }) => (account === book ? sum + BigInt(micros) : sum), 0n);
}

/**
 * What a book held after each entry, newest first, from what it holds now. Exact only where `entries` are the newest of
 * the book without a gap, as the server lists them.
 */
export function balancesAfter(entries: readonly EntryShape[], book: string, nowMicros: string): string[] {
  let balance = BigInt(nowMicros);
  return entries.map((entry) => {
    const after = String(balance);
    balance -= intoBook(entry, book);
    return after;
  });
}

/** The sides of an entry before it is booked; none where it cannot be said yet. */
export function sidesOf(
  kind: EntryPost["kind"],
  tenant: string,
  micros: string | undefined,
  hold: EntryShape | undefined,
): { account: string; micros: string }[] {
  const ends = kind === "post" || kind === "void";
  if (tenant === "" || (ends && hold === undefined) || (kind !== "void" && micros === undefined)) return [];
  const held = BigInt(hold?.legs[0]?.micros ?? "0");
  return legsOfEntry(kind, tenant, BigInt(micros ?? "0"), held)
    .filter((leg) => leg.micros !== 0n)
    .map((leg) => ({ account: leg.account, micros: String(leg.micros) }));
}

/** What the tenant owes, and would owe with these sides in its books; only the former while they are not known. */
export function owedAfterWords(
  { tenant, owedMicros, currency }: Pick<BillingShape, "tenant" | "owedMicros" | "currency">,
  sides: EntryShape["legs"],
): string {
  const now = `${owedWords(tenant, owedMicros, currency)} now`;
  if (sides.length === 0) return `${now}.`;
  const after = BigInt(owedMicros) + intoBook({ legs: sides }, `tenant/${tenant}/owed`);
  return `${now}; after this entry ${owedWords(tenant, String(after), currency)}.`;
}

/** The same entry on the command line; words in capitals stand for what is not typed yet. */
export function entryCommand({
  account,
  kind,
  micros,
  of,
  memo,
}: Partial<EntryPost> & Pick<EntryPost, "kind">): string {
  const amount = micros === undefined ? "AMOUNT" : plainAmount(micros);
  return tess([
    "ledger",
    "post",
    account || "TENANT",
    "--kind",
    kind,
    ...(kind === "void" ? [] : ["--amount", amount]),
    ...(of === undefined ? [] : ["--of", String(of)]),
    "--memo",
    memo?.trim() || "WHY",
  ]);
}

/** Entries as rows of a file, with amounts as whole micros. */
export function csvRows(entries: readonly EntryShape[], after: readonly string[] | undefined): object[] {
  return entries.flatMap((entry, i) =>
    entry.legs.map(({ account, micros }) => ({
      ...{ entry: entry.no, at: entry.at, kind: entry.kind, book: account, micros, currency: entry.currency },
      ...{ invoice: entry.invoice ?? "", line: entry.line ?? "", of: entry.of ?? "", memo: entry.memo },
      ...(after !== undefined && { owedAfterMicros: after[i] }),
    })),
  );
}

/** The last months, newest first, as `2026-11`. */
export function lastMonths(count: number, now: number): string[] {
  const at = new Date(now);
  return Array.from({ length: count }, (_, i) =>
    new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - i, 1)).toISOString().slice(0, 7),
  );
}
