import { type Account, isFormerBook, type ReadonlyState, type SpelledEntry } from "@tessera/core";
import type { EntryShape, InvoiceSummary, LedgerPage, PageOf, QueryOf } from "@tessera/wire";
import { billingZone, invoiceOf } from "../../flow/bill/bill.ts";
import { type IssuedInvoice, invoiceOfIssued } from "../../flow/bill/close.ts";
import { periodAt } from "../../flow/bill/periods.ts";
import { ratedMonths } from "../../flow/bill/tenant-months.ts";
import { belongsTo } from "../../flow/find/find-job.ts";
import { renderEntry, summaryOf } from "../../render/money.ts";
import { isWithin } from "../../store/paths.ts";
import type { BookPageQuery, BookRow } from "../../store/port.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { closeCursor, listing, openCursor, type PageAsk, pageOf, usualLimit } from "../request/page.ts";

type Place = NonNullable<BookPageQuery["before"]>;

/** Whether an account is one of these or below one; the empty path is everything. */
export function isAmong(account: string, paths: readonly string[]): boolean {
  return paths.some((path) => path === "" || isWithin(account, path));
}

/** Drafts of the running month by tenant, then what was issued, newest first. */
export async function listInvoices(
  api: Api,
  roots: readonly Account[],
  ask: QueryOf<"listInvoices">,
): Promise<PageOf<InvoiceSummary> | Denial> {
  const { control } = api;
  const { state } = control;
  // An invoice belongs to the tenant that had its name in the month, however late it was issued.
  const sees = ({ tenant, toAt }: BookRow) => belongsTo(state, roots, tenant, toAt - 1);
  if (ask.number !== undefined) {
    const rows = await control.reader.books({ kind: "invoice", key: ask.number });
    return { items: rows.filter(sees).map(summaryOfRow) };
  }
  const opened = openCursor(api.seal, "invoices", ask.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const at = opened?.at as Draft | Place | undefined;
  const limit = ask.limit ?? usualLimit;
  const drafts = at !== undefined && "seq" in at ? [] : await draftsAfter(api, roots, at, limit);
  if (drafts.length > limit) {
    const items = drafts.slice(0, limit);
    return { items, next: closeCursor(api.seal, "invoices", draftOf(items.at(-1)!)) };
  }
  const before = at !== undefined && "seq" in at ? at : undefined;
  const { rows, last } = await bookPage(api, "invoice", roots, sees, before, limit - drafts.length);
  return {
    items: [...drafts, ...rows.map(summaryOfRow)],
    ...(last !== undefined && { next: closeCursor(api.seal, "invoices", last) }),
    // Drafts fill the page to its end, and what was issued comes on the next.
    ...(drafts.length === limit && { next: closeCursor(api.seal, "invoices", draftOf(drafts.at(-1)!)) }),
  };
}

/** Entries, newest first, and balances. */
export async function listEntries(
  api: Api,
  roots: readonly Account[],
  ask: QueryOf<"listEntries">,
): Promise<LedgerPage | Denial> {
  const page = ask.open ? await openHolds(api, roots, ask) : await entries(api, roots, ask);
  return isDenied(page) ? page : { ...page, balances: balancesOf(api.control.state, roots) };
}

async function entries(api: Api, roots: readonly Account[], ask: PageAsk): Promise<PageOf<EntryShape> | Denial> {
  const opened = openCursor(api.seal, "ledger", ask.cursor);
  if (opened !== undefined && "refused" in opened) return opened;
  const { state } = api.control;
  const paths = roots.map(({ path }) => path);
  const sees = ({ tenant, toAt, doc }: BookRow) =>
    belongsTo(state, roots, tenant, toAt) && (paths.includes("") || !isOfFormer(doc));
  const before = opened?.at as Place | undefined;
  const { rows, last } = await bookPage(api, "entry", roots, sees, before, ask.limit ?? usualLimit);
  return {
    items: rows.map(({ doc }) => renderEntry(JSON.parse(doc) as SpelledEntry)),
    ...(last !== undefined && { next: closeCursor(api.seal, "ledger", last) }),
  };
}

/** Money that is set aside now, whenever that was: the books know it by number, and the store has the entry. */
async function openHolds({ control, seal }: Api, roots: readonly Account[], ask: PageAsk) {
  const paths = roots.map(({ path }) => path);
  const open = [...control.state.books.holds]
    .map(([key, { tenant }]) => ({ tenant, no: Number(String(key).split("/").at(-1)) }))
    .filter(({ tenant }) => isAmong(tenant, paths));
  const show = async ({ tenant, no }: (typeof open)[number]) => {
    const rows = await control.reader.books({ kind: "entry", key: String(no), tenant });
    return renderEntry(JSON.parse(rows.at(-1)!.doc) as SpelledEntry);
  };
  const newest = { name: "number", of: ({ no }: (typeof open)[number]) => no, down: true };
  const page = pageOf(
    seal,
    listing("open holds", open, ({ tenant }) => tenant, show, newest),
    ask,
  );
  return isDenied(page) ? page : { ...page, items: await Promise.all(page.items) };
}

function balancesOf(state: ReadonlyState, roots: readonly Account[]): LedgerPage["balances"] {
  const paths = roots.map(({ path }) => path);
  // A book that came to nothing may be one that a former tenant left.
  const isTold = (tenant: string, micros: bigint) =>
    isAmong(tenant, paths) && (micros !== 0n || !state.former.has(tenant));
  const balances = [...state.books.balances].filter(
    ([account, micros]) => paths.includes("") || isTold(tenantOfBook(account), micros),
  );
  return Object.fromEntries(balances.sort().map(([account, micros]) => [account, String(micros)]));
}

/** What is booked for a tenant whose name another one has now. */
function isOfFormer(doc: string): boolean {
  return (JSON.parse(doc) as SpelledEntry).legs.some(({ account }) => isFormerBook(account));
}

/** The tenant of a book such as `EUR tenant/lab/owed`; no tenant is called `/`. */
function tenantOfBook(account: string): string {
  return / (?:tenant|lender|reservation)\/([^/]+)/.exec(account)?.[1] ?? "/";
}

/** One more than fit the page says that there is another; `last` is where that one begins. */
async function bookPage(
  { control }: Api,
  kind: "invoice" | "entry",
  roots: readonly Account[],
  sees: (row: BookRow) => boolean,
  before: Place | undefined,
  limit: number,
): Promise<{ rows: readonly BookRow[]; last?: Place }> {
  const paths = roots.map(({ path }) => path);
  const tenants = paths.includes("") ? {} : { tenants: paths.filter((path) => !path.includes("/")) };
  if (limit === 0 || tenants.tenants?.length === 0) return { rows: [] };
  const found: BookRow[] = [];
  for (let from = before; found.length <= limit; ) {
    const page = await control.reader.bookPage({ kind, ...tenants, ...(from && { before: from }), limit: limit + 1 });
    found.push(...page.filter(sees));
    if (page.length <= limit) break;
    from = placeOf(page.at(-1)!);
  }
  const rows = found.slice(0, limit);
  return { rows, ...(found.length > limit && { last: placeOf(rows.at(-1)!) }) };
}

function placeOf({ toAt, seq, index }: BookRow): Place {
  return { toAt, seq, index };
}

function summaryOfRow({ doc }: BookRow): InvoiceSummary {
  const issued = JSON.parse(doc) as IssuedInvoice;
  return summaryOf(invoiceOfIssued(issued), issued);
}

/** Where a draft stands in the list. */
interface Draft {
  readonly tenant: string;
  readonly period: string;
}

function draftOf({ tenant, period }: InvoiceSummary): Draft {
  return { tenant, period };
}

/** Drafts by the names of their tenants, those after one: one more than asked for where there are more. */
async function draftsAfter(
  { control }: Api,
  roots: readonly Account[],
  after: Draft | undefined,
  limit: number,
): Promise<InvoiceSummary[]> {
  const { state } = control;
  const now = control.now();
  const month = periodAt(now, billingZone(state));
  const whole = await control.rated.period(month, now);
  const drafts: InvoiceSummary[] = [];
  for (const tenant of whole.totals.tenants()) {
    if (drafts.length > limit) break;
    if (tenant < (after?.tenant ?? "")) continue;
    const parts = await ratedMonths(state, tenant, month, whole, (part) => control.rated.period(part, now));
    const seen = parts.findIndex(({ period }) => tenant === after?.tenant && period.label === after.period);
    for (const { rated, mode, isFormer, period } of parts.slice(seen + 1)) {
      if (!belongsTo(state, roots, tenant, period.toAt - 1)) continue;
      const invoice = invoiceOf(rated, tenant, mode);
      if (invoice !== undefined && !(isFormer && invoice.lines.length === 0)) drafts.push(summaryOf(invoice));
    }
  }
  return drafts;
}
