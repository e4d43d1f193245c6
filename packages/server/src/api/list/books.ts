import type { SpelledEntry } from "@tessera/core";
import type { InvoiceSummary, LedgerPage, PageOf, QueryOf } from "@tessera/wire";
import { billingZone, invoiceOf, modeOf } from "../../flow/bill/bill.ts";
import { type IssuedInvoice, invoiceOfIssued } from "../../flow/bill/close.ts";
import { periodAt } from "../../flow/bill/periods.ts";
import { renderEntry, summaryOf } from "../../render/money.ts";
import { isWithin } from "../../store/paths.ts";
import type { BookPageQuery, BookRow } from "../../store/port.ts";
import type { Denial } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { closeCursor, openCursor, type PageAsk, usualLimit } from "../request/page.ts";

type Place = NonNullable<BookPageQuery["before"]>;

/** Whether an account is one of these or below one; the empty path is everything. */
export function isAmong(account: string, paths: readonly string[]): boolean {
  return paths.some((path) => path === "" || isWithin(account, path));
}

/** Drafts of the running month by tenant, then what was issued, newest first. */
export async function listInvoices(
  api: Api,
  paths: readonly string[],
  ask: QueryOf<"listInvoices">,
): Promise<PageOf<InvoiceSummary> | Denial> {
  const { control } = api;
  if (ask.number !== undefined) {
    const rows = await control.reader.books({ kind: "invoice", key: ask.number });
    return { items: rows.filter(({ tenant }) => isAmong(tenant, paths)).map(summaryOfRow) };
  }
  const opened = openCursor(api.seal, "invoices", ask.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const at = opened?.at as { readonly tenant: string } | Place | undefined;
  const limit = ask.limit ?? usualLimit;
  const drafts = at !== undefined && "seq" in at ? [] : await draftsAfter(api, paths, at?.tenant ?? "", limit);
  if (drafts.length > limit) {
    const items = drafts.slice(0, limit);
    return { items, next: closeCursor(api.seal, "invoices", { tenant: items.at(-1)!.tenant }) };
  }
  const before = at !== undefined && "seq" in at ? at : undefined;
  const { rows, last } = await bookPage(api, "invoice", paths, before, limit - drafts.length);
  return {
    items: [...drafts, ...rows.map(summaryOfRow)],
    ...(last !== undefined && { next: closeCursor(api.seal, "invoices", last) }),
    // Drafts fill the page to its end, and what was issued comes on the next.
    ...(drafts.length === limit && { next: closeCursor(api.seal, "invoices", { tenant: drafts.at(-1)!.tenant }) }),
  };
}

/** Entries, newest first, and balances. */
export async function listEntries(api: Api, paths: readonly string[], ask: PageAsk): Promise<LedgerPage | Denial> {
  const opened = openCursor(api.seal, "ledger", ask.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const { rows, last } = await bookPage(api, "entry", paths, opened?.at as Place | undefined, ask.limit ?? usualLimit);
  const balances = [...api.control.state.books.balances].filter(
    ([account]) => paths.includes("") || isAmong(tenantOfBook(account), paths),
  );
  return {
    items: rows.map(({ doc }) => renderEntry(JSON.parse(doc) as SpelledEntry)),
    ...(last !== undefined && { next: closeCursor(api.seal, "ledger", last) }),
    balances: Object.fromEntries(balances.sort().map(([account, micros]) => [account, String(micros)])),
  };
}

/** The tenant of a book such as `EUR tenant/lab/owed`; no tenant is called `/`. */
function tenantOfBook(account: string): string {
  return / (?:tenant|lender|reservation)\/([^/]+)/.exec(account)?.[1] ?? "/";
}

/** One more than fit the page says that there is another; `last` is where that one begins. */
async function bookPage(
  { control }: Api,
  kind: "invoice" | "entry",
  paths: readonly string[],
  before: Place | undefined,
  limit: number,
): Promise<{ rows: readonly BookRow[]; last?: Place }> {
  const tenants = paths.includes("") ? {} : { tenants: paths.filter((path) => !path.includes("/")) };
  if (limit === 0 || tenants.tenants?.length === 0) return { rows: [] };
  const from = before === undefined ? {} : { before };
  const found = await control.reader.bookPage({ kind, ...tenants, ...from, limit: limit + 1 });
  const rows = found.slice(0, limit);
  const { toAt, seq, index } = rows.at(-1) ?? { toAt: 0, seq: 0, index: 0 };
  return { rows, ...(found.length > limit && { last: { toAt, seq, index } }) };
}

function summaryOfRow({ doc }: BookRow): InvoiceSummary {
  const issued = JSON.parse(doc) as IssuedInvoice;
  return summaryOf(invoiceOfIssued(issued), issued);
}

/** Drafts of tenants that come after one by name: one more than asked for where there are more. */
async function draftsAfter(
  { control }: Api,
  paths: readonly string[],
  after: string,
  limit: number,
): Promise<InvoiceSummary[]> {
  const { state } = control;
  const now = control.now();
  const rated = await control.rated.period(periodAt(now, billingZone(state)), now);
  const drafts: InvoiceSummary[] = [];
  for (const tenant of rated.totals.tenants()) {
    if (tenant <= after || !isAmong(tenant, paths)) continue;
    const invoice = invoiceOf(rated, tenant, modeOf(state, tenant));
    if (invoice !== undefined) drafts.push(summaryOf(invoice));
    if (drafts.length > limit) break;
  }
  return drafts;
}
