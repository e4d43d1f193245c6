import {
  type Account,
  accountOf,
  type BilledAs,
  type Budget,
  type BudgetStanding,
  currencyOf,
  type Instant,
  type Invoice,
  isRefusal,
  ownSince,
  type Period,
  type PriceBook,
  pathUp,
  type ReadonlyState,
  type Refusal,
  refuse,
  rootAccount,
  type SpelledEntry,
  tenantOfPath,
  type User,
  type UserId,
} from "@tessera/core";
import type { BillingPut, BillingShape, BudgetPut, BudgetShape, InvoiceSummary } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import type { Principal } from "../../access/principal.ts";
import { billingZone, bookOf, invoiceOf, ratePeriod } from "../../flow/bill/bill.ts";
import { budgetStandings } from "../../flow/bill/budget.ts";
import { closePeriod, type IssuedInvoice, invoiceOfIssued, previewClose } from "../../flow/bill/close.ts";
import { costReport } from "../../flow/bill/cost.ts";
import { billedAsNow, creditStandings } from "../../flow/bill/credit.ts";
import { estimateJob } from "../../flow/bill/estimate.ts";
import { explainLine } from "../../flow/bill/explain-line.ts";
import { periodAt, periodNamed } from "../../flow/bill/periods.ts";
import { extractWithProof } from "../../flow/bill/proof.ts";
import { monthLabel, ratedMonths } from "../../flow/bill/tenant-months.ts";
import type { ControlPlane } from "../../flow/control.ts";
import { standingAccount } from "../../flow/find/find-job.ts";
import { reportSpan } from "../../flow/meter/usage.ts";
import { previewBilling } from "../../flow/preview/billing-preview.ts";
import { previewBudget } from "../../flow/preview/budget-preview.ts";
import { foreseePrices } from "../../flow/watch/price-watch.ts";
import {
  arithmeticOf,
  contractsTag,
  renderEntry,
  renderInvoice,
  renderLine,
  renderPrices,
  summaryOf,
} from "../../render/money.ts";
import { timestamp } from "../../render/quantities.ts";
import { isWithin } from "../../store/paths.ts";
import { type Denial, isDenied, notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { isAmong, listEntries, listInvoices } from "../list/books.ts";
import { staleUnless } from "../request/if-match.ts";
import { contractOf, priceVersionOf } from "../request/price-put.ts";

type Money =
  | "readPrices"
  | "addPrices"
  | "previewPrices"
  | "previewContract"
  | "setContract"
  | "readCosts"
  | "estimateJob"
  | "listBudgets"
  | "setBudget"
  | "previewBudget"
  | "dropBudget"
  | "listBilling"
  | "setBilling"
  | "previewBilling"
  | "listInvoices"
  | "getInvoice"
  | "explainLine"
  | "getExtract"
  | "previewClose"
  | "closePeriod"
  | "listEntries"
  | "postEntry";
type MoneyHandlers = { readonly [Id in Money]: Handler<Id> };

export const moneyHandlers: MoneyHandlers = {
  readPrices: (api, { principal }) => showPrices(api, principal),

  async addPrices(api, call) {
    const stale = staleUnless(call, pricesTag(api), "prices");
    if (stale !== undefined) return stale;
    const version = priceVersionOf(call.body);
    if (isRefusal(version)) return version;
    const done = await api.control.ask({ kind: "price.add", version }, askerOf(call));
    if (!isRefusal(done)) await foreseePrices(api.control, true);
    return isRefusal(done) ? done : showPrices(api, call.principal);
  },

  async previewPrices({ control }, { body }) {
    const version = priceVersionOf(body);
    if (isRefusal(version)) return version;
    const book = bookOf(control.state);
    return previewLastMonth(control, { ...book, versions: [{ ...version, fromAt: 0 }] }, version.currency);
  },

  async previewContract({ control }, { target, body }) {
    const tenant = tenantNamed(target);
    if (isRefusal(tenant)) return tenant;
    const contract = contractOf(tenant, body);
    if (isRefusal(contract)) return contract;
    const { versions, contracts } = bookOf(control.state);
    const others = contracts.filter((each) => each.tenant !== tenant);
    const always = { ...contract, fromAt: 0, toAt: Number.MAX_SAFE_INTEGER };
    const book = { versions, contracts: [...others, always] };
    return previewLastMonth(control, book, currencyOf(versions), tenant);
  },

  async setContract(api, call) {
    const tenant = tenantNamed(call.target);
    if (isRefusal(tenant)) return tenant;
    const tag = contractsTag(api.seal, api.control.state.books.contracts.values(), tenant);
    const stale = staleUnless(call, tag, "contract");
    if (stale !== undefined) return stale;
    const contract = contractOf(tenant, call.body);
    if (isRefusal(contract)) return contract;
    const done = await api.control.ask({ kind: "contract.set", contract }, askerOf(call));
    return isRefusal(done) ? done : showPrices(api, call.principal);
  },

  readCosts({ control, people }, { target, query }) {
    const now = control.now();
    const span = reportSpan(query.from, query.to, now, control.state.policy, query.by);
    if (isRefusal(span)) return span;
    const ask = {
      by: query.by ?? "account",
      ...span,
      accounts: target,
      compare: query.compare ?? false,
      limit: query.limit,
    };
    return costReport(control, ask, now, (id) => people.nameOf(id as UserId));
  },

  estimateJob: (api, call) => estimateJob(api, call.principal.user, call.target, call.body),

  async listBudgets(api, { principal, target }) {
    const paths = pathsOf(target);
    const { state } = api.control;
    const seen = [...state.books.budgets.values()].filter(({ account }) => isAmong(account, paths));
    return { items: await showBudgets(api, principal, seen) };
  },

  async setBudget(api, call) {
    const { state } = api.control;
    const account = call.target.path;
    const known = state.books.budgets.get(account);
    const stale = staleUnless(call, known && tagOf(api, account, known.revision), "budget");
    if (stale !== undefined) return stale;
    const budget = budgetOf(state, account, call.body);
    const done = await api.control.ask({ kind: "budget.set", budget }, askerOf(call));
    if (isRefusal(done)) return done;
    return (await showBudgets(api, call.principal, [state.books.budgets.get(account)!]))[0]!;
  },

  previewBudget({ control }, { principal, target, body }) {
    const budget = budgetOf(control.state, target.path, body);
    return previewBudget(control, principal.user, { ...budget, limitMicros: BigInt(budget.limitMicros), revision: 0 });
  },

  async dropBudget({ control }, call) {
    const done = await control.ask({ kind: "budget.drop", account: call.target.path }, askerOf(call));
    return isRefusal(done) ? done : {};
  },

  async listBilling(api, { principal, target }) {
    const paths = pathsOf(target);
    const { state } = api.control;
    const tenants = accountOf(state, rootAccount).children.map((no) => accountOf(state, no).path);
    const seen = tenants.filter((tenant) => isAmong(tenant, paths)).sort();
    return { items: await showBilling(api, principal, seen) };
  },

  async setBilling(api, call) {
    const tenant = tenantNamed(call.target);
    if (isRefusal(tenant)) return tenant;
    const known = billedAsNow(api.control.state, tenant);
    const stale = staleUnless(call, billingTag(api, tenant, known), "billing");
    if (stale !== undefined) return stale;
    const { mode, creditLimitMicros: limit } = billedAs(known, call.body);
    const about = { tenant, mode, ...(limit !== undefined && { creditLimitMicros: String(limit) }) };
    const done = await api.control.ask({ kind: "tenant.bill", ...about }, askerOf(call));
    return isRefusal(done) ? done : (await showBilling(api, call.principal, [tenant]))[0]!;
  },

  previewBilling({ control }, { principal, target, body }) {
    const tenant = tenantNamed(target);
    if (isRefusal(tenant)) return tenant;
    return previewBilling(control, principal.user, tenant, billedAs(billedAsNow(control.state, tenant), body));
  },

  listInvoices: (api, { target, query }) => listInvoices(api, target, query),

  async getInvoice(api, { principal, target, params }) {
    const found = await findInvoice(api, principal, target, params.period!);
    if (isDenied(found)) return found;
    return renderInvoice(cutTo(found.invoice, target.path), found.issued);
  },

  async explainLine(api, { principal, target, params }) {
    const found = await findInvoice(api, principal, target, params.period!);
    if (isDenied(found)) return found;
    const no = Number(params.line);
    const line = found.invoice.lines[no - 1];
    if (line === undefined || !isWithin(line.account, target.path)) return notFound("line");
    const behind = await explainLine(api.control, line, found.invoice.period, api.control.now());
    const { number = "" } = found.issued ?? {};
    const { currency } = found.invoice;
    return { invoice: number, currency, line: renderLine(line, no), arithmetic: arithmeticOf(line), ...behind };
  },

  async getExtract(api, { principal, target, params, query }) {
    const found = await findInvoice(api, principal, target, params.period!);
    if (isDenied(found)) return found;
    if (found.issued === undefined || target.path.includes("/")) return notFound("invoice");
    const extract = await extractWithProof(api, found.issued, found.seq!, query.since);
    if (extract !== undefined) return extract;
    return refuse(
      "conflict",
      "period",
      params.period!,
      "has usage that became known after it was closed",
      "the next invoice corrects it; keep the extract that you were given before",
    );
  },

  async previewClose({ control }, { body }) {
    const zone = billingZone(control.state);
    const period = periodNamed(body.period, zone);
    if (isRefusal(period)) return period;
    const { toIssue, issued } = await previewClose(control, period);
    const rows = toIssue.map(({ tenant, mode, lines, totalMicros }) => ({
      ...{ tenant, mode, lines: lines.length, totalMicros },
      corrections: lines.filter(({ kind }) => kind === "correction").length,
    }));
    return {
      ...{ period: period.label, from: timestamp(period.fromAt), to: timestamp(period.toAt), tz: zone },
      ...{ over: period.toAt <= control.now(), currency: currencyOf(control.state.books.versions), rows, issued },
    };
  },

  async closePeriod({ control }, call) {
    const period = periodNamed(call.body.period, billingZone(control.state));
    if (isRefusal(period)) return period;
    const numbers = await closePeriod(control, period, askerOf(call));
    if (isRefusal(numbers)) return numbers;
    const invoices: InvoiceSummary[] = [];
    for (const key of numbers) {
      const [row] = await control.reader.books({ kind: "invoice", key });
      const issued = JSON.parse(row!.doc) as IssuedInvoice;
      invoices.push(summaryOf(invoiceOfIssued(issued), issued));
    }
    return { period: period.label, invoices };
  },

  listEntries: (api, { target, query }) => listEntries(api, target, query),

  async postEntry({ control }, call) {
    const { kind, micros, of, memo } = call.body;
    const currency = currencyOf(control.state.books.versions);
    const tenant = tenantNamed(call.target);
    if (isRefusal(tenant)) return tenant;
    const about = { tenant, entry: kind, currency, micros, memo, ...(of !== undefined && { of }) };
    const done = await control.ask({ kind: "ledger.post", ...about }, askerOf(call));
    if (isRefusal(done)) return done;
    const rows = await control.reader.books({ kind: "entry", key: done.result! });
    const row = rows.findLast((each) => each.tenant === tenant)!;
    return renderEntry(JSON.parse(row.doc) as SpelledEntry);
  },
};

/**
 * The tenant that an account is. What is billed is a tenant as a whole: a caller whose token or role reaches only a part
 * of it must not act on all of it by naming that part.
 */
function tenantNamed({ path }: Account): string | Refusal {
  const tenant = tenantOfPath(path);
  if (path === tenant) return tenant;
  return refuse("invalid", "account", path, `is a part of ${tenant}, and only tenants are billed`, `name ${tenant}`);
}

/** The last month as it is priced, beside what it would have come to under another book; of one tenant where one is named. */
async function previewLastMonth(control: ControlPlane, other: PriceBook, currency: string, only?: string) {
  const { reader, state } = control;
  const now = control.now();
  const zone = billingZone(state);
  const period = periodAt(periodAt(now, zone).fromAt - 1, zone);
  const today = await ratePeriod(reader, state, period, now, bookOf(state));
  const then = await ratePeriod(reader, state, period, now, other);
  const totalOf = (rated: typeof today, tenant: string) => invoiceOf(rated, tenant, "chargeback")?.totalMicros ?? 0n;
  const rows = then.totals
    .tenants()
    .filter((tenant) => only === undefined || tenant === only)
    .map((tenant) => ({ tenant, now: totalOf(today, tenant), other: totalOf(then, tenant) }));
  const sum = (which: "now" | "other") => String(rows.reduce((total, row) => total + row[which], 0n));
  return {
    ...{ period: period.label, currency, nowMicros: sum("now"), thenMicros: sum("other") },
    rows: rows.map((row) => ({ tenant: row.tenant, nowMicros: String(row.now), thenMicros: String(row.other) })),
  };
}

/** A budget as it is asked for; what is left out is as usual. */
function budgetOf({ books }: ReadonlyState, account: string, { limitMicros, ...terms }: BudgetPut) {
  const { every = "month", alertsPerMille = [500, 800, 900], stop = "alert" } = terms;
  return { account, currency: currencyOf(books.versions), limitMicros, every, alertsPerMille, stop };
}

/** How a tenant is billed as it is asked for; a credit limit that is left out stays. */
function billedAs({ creditLimitMicros: known }: BilledAs, { mode, creditLimitMicros: limit }: BillingPut): BilledAs {
  const kept = limit === undefined ? known : limit === null ? undefined : BigInt(limit);
  return { mode, ...(kept !== undefined && { creditLimitMicros: kept }) };
}

function pathsOf(accounts: readonly Account[]): string[] {
  return accounts.map(({ path }) => path);
}

/** Everyone sees the price lists; a contract is shown to users who may read the tenant's invoices. */
function showPrices(api: Api, principal: Principal) {
  const { seal } = api;
  const { state } = api.control;
  // One that ended before its tenant was created is that of a former tenant with the same name.
  const all = [...state.books.contracts.values()];
  const tags = new Map(
    [...Map.groupBy(all, ({ tenant }) => tenant)].map(([tenant, own]) => [tenant, contractsTag(seal, own, tenant)]),
  );
  const contracts = all
    .filter(({ tenant, toAt }) =>
      may(state, principal.user, "invoice.read", standingAccount(state, tenant, toAt - 1).no),
    )
    .map((contract) => ({ ...contract, revision: tags.get(contract.tenant)! }));
  const shown = renderPrices(state.books.versions, contracts);
  return { ...shown, revision: pricesTag(api), may: new Acts(state, principal).onFleet("prices") };
}

/** Price lists are only added: how many there are says which are known. */
function pricesTag({ control: { state }, seal }: Api): string {
  return seal.tag("prices", state.books.versions.length);
}

function tagOf({ seal }: Api, account: string, revision: number): string {
  return seal.tag(`budget ${account}`, revision);
}

function billingTag({ seal }: Api, tenant: string, { mode, creditLimitMicros: limit }: BilledAs): string {
  return seal.tag(`billing ${tenant} ${mode} ${limit}`, 0);
}

async function showBilling(api: Api, principal: Principal, tenants: readonly string[]): Promise<BillingShape[]> {
  const { state } = api.control;
  const acts = new Acts(state, principal);
  const { books } = state;
  const currency = currencyOf(books.versions);
  const standings = await creditStandings(api.control, tenants, api.control.now());
  return standings.map(({ tenant, owedMicros, heldMicros, openMicros, leftMicros }) => {
    const billed = billedAsNow(state, tenant);
    const { mode, creditLimitMicros: limit } = billed;
    return {
      ...{ tenant, currency, mode },
      ...(limit !== undefined && { creditLimitMicros: String(limit) }),
      ...{ owedMicros: String(owedMicros), heldMicros: String(heldMicros), openMicros: String(openMicros) },
      ...(leftMicros !== undefined && { leftMicros: String(leftMicros) }),
      stopped: books.creditReached.has(tenant),
      revision: billingTag(api, tenant, billed),
      may: acts.onMoney("billing", tenant),
    };
  });
}

async function showBudgets(api: Api, principal: Principal, budgets: readonly Budget[]): Promise<BudgetShape[]> {
  const acts = new Acts(api.control.state, principal);
  const standings = await budgetStandings(api.control, budgets, api.control.now());
  return budgets.map((budget, i) => ({
    ...showBudget(api, budget, standings[i]!),
    may: acts.onMoney("budget", budget.account),
  }));
}

function showBudget(api: Api, budget: Budget, standing: BudgetStanding): BudgetShape {
  const { account, currency, limitMicros, every, alertsPerMille, stop, revision } = budget;
  const { fromAt, toAt, spentMicros, forecastMicros, spentAt, stopped } = standing;
  return {
    ...{ account, currency, limitMicros: String(limitMicros), every, alertsPerMille: [...alertsPerMille], stop },
    ...{ from: timestamp(fromAt), to: timestamp(toAt) },
    ...{ spentMicros: String(spentMicros), forecastMicros: String(forecastMicros), stopped },
    ...(spentMicros > limitMicros && { overMicros: String(spentMicros - limitMicros) }),
    ...(spentAt !== undefined && { spentAt: timestamp(spentAt) }),
    revision: tagOf(api, account, revision),
  };
}

interface Found {
  readonly invoice: Invoice;
  readonly issued?: IssuedInvoice;
  readonly seq?: number;
}

/** The invoice of an account's tenant for a month: issued, or as it would be now. */
async function findInvoice(
  api: Api,
  { user }: Principal,
  account: Account,
  asked: string,
): Promise<Found | Denial | Refusal> {
  const { reader, state } = api.control;
  const tenant = tenantOfPath(account.path);
  const zone = billingZone(state);
  const month = asked === "open" ? periodAt(api.control.now(), zone) : periodNamed(monthLabel(asked), zone);
  if (isRefusal(month)) return month;
  const label = asked === "open" ? month.label : asked;
  const since = hiddenUntil(state, user, account);
  // Below a tenant, a line does not tell which of two accounts with one path it is of.
  const isHidden = ({ fromAt, toAt }: Period) => (account.path === tenant ? toAt <= since : fromAt < since);
  const rows = await reader.books({ kind: "invoice", tenant });
  for (const { doc, seq } of rows) {
    const issued = JSON.parse(doc) as IssuedInvoice;
    if (issued.period.label !== label) continue;
    return isHidden(issued.period) ? notFound("invoice") : { invoice: invoiceOfIssued(issued), issued, seq };
  }
  return draftFor(api, tenant, month, label, since);
}

/** Until when what was recorded under the path of an account belongs to one that the user may not see: 0 is never. */
function hiddenUntil(state: ReadonlyState, user: User, account: Account): Instant {
  const since = Math.max(0, ...pathUp(state, account.no).map((each) => ownSince(state, each)));
  return may(state, user, "invoice.read", standingAccount(state, account.path, since - 1).no) ? 0 : since;
}

/** An invoice that was not issued, without what is older than `since`. */
async function draftFor(
  { control }: Api,
  tenant: string,
  month: Period,
  label: string,
  since: Instant,
): Promise<Found | Denial> {
  const now = control.now();
  const rate = (period: Period) => control.rated.period(period, now);
  const parts = await ratedMonths(control.state, tenant, month, await rate(month), rate);
  const part = parts.find(({ period }) => period.label === label);
  if (part === undefined || part.period.toAt <= since) return notFound("invoice");
  const { period, mode } = part;
  const rated = period.fromAt < since ? await rate({ ...period, fromAt: since }) : part.rated;
  const invoice = invoiceOf(rated, tenant, mode);
  return invoice === undefined ? notFound("invoice") : { invoice };
}

/** Below a tenant: the lines of that account alone, and what they come to. */
function cutTo(invoice: Invoice, path: string): Invoice {
  if (!path.includes("/")) return invoice;
  const lines = invoice.lines.filter(({ account }) => isWithin(account, path));
  const sum = (wanted: (micros: bigint) => boolean) =>
    lines.reduce((total, { micros }) => (wanted(micros) ? total + micros : total), 0n);
  const chargesMicros = sum((micros) => micros > 0n);
  const creditsMicros = sum((micros) => micros < 0n);
  const totalMicros = chargesMicros + creditsMicros;
  return { ...invoice, lines, chargesMicros, creditsMicros, roundingMicros: 0n, totalMicros };
}
