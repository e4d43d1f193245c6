import { legsOfEntry } from "../bill/entry-legs.ts";
import { readLine, spelled } from "../bill/invoice.ts";
import { entriesOf, faultOf } from "../bill/ledger.ts";
import type { Event } from "../journal/event.ts";
import type { IssueInvoice, MoneyCommand, PostEntry } from "../journal/money-command.ts";
import type { SpelledEntry } from "../journal/money-event.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import { instantText } from "../model/instant.ts";
import type { Instant } from "../model/units.ts";
import { moneyText } from "../money/amount.ts";
import type { Invoice } from "../money/invoice.ts";
import type { LedgerEntry } from "../money/ledger.ts";
import { currencyOf } from "../money/price.ts";
import { endJob } from "../run/finish.ts";
import { stopJob } from "../run/stop.ts";
import { stopForBudget } from "../run/stop-for-money.ts";
import { type Books, holdKey, invoiceNumber, serialsOf } from "../state/books.ts";
import { holderAt, ownSince } from "../state/holders.ts";
import type { State } from "../state/state.ts";

/** Prices, budgets, invoices and the ledger. A wrong amount is refused here and never written. */
export function changeBooks(state: State, command: MoneyCommand, now: Instant): Decision {
  const { books } = state;
  switch (command.kind) {
    case "price.add": {
      const last = books.versions.at(-1);
      const { version } = command;
      if (books.versions.some(({ id }) => id === version.id))
        return refuse("already-exists", "id", version.id, "is already the name of a price list", "choose another name");
      if (last !== undefined && version.fromAt <= last.fromAt)
        return refuse(
          "conflict",
          "from",
          instantText(version.fromAt),
          `is not after the beginning of ${last.id}, the price list before`,
          "give a later time",
        );
      if (last !== undefined && version.currency !== last.currency)
        return refuse(
          "conflict",
          "currency",
          version.currency,
          `is not ${last.currency}, the currency of the price list before`,
          `use ${last.currency}`,
        );
      const closed = Math.max(0, ...books.closedUntil.values());
      if (version.fromAt < closed)
        return refuse(
          "conflict",
          "from",
          instantText(version.fromAt),
          "lies in a closed period",
          "give a time in an open period",
        );
      // What was used was used at a price that its tenant could look up: one person must not change it afterwards.
      if (last !== undefined && version.fromAt < now)
        return refuse(
          "conflict",
          "from",
          instantText(version.fromAt),
          `lies in the past, where ${last.id} was in force`,
          "give a time from now on, and correct what was charged with an adjustment: tess ledger post",
        );
      return { events: [{ kind: "price-added", v: 1, at: now, version }], result: version.id };
    }
    case "price.foresee": {
      const { ahead } = command;
      if (ahead.fromAt >= ahead.toAt || ahead.windows.some(({ fromAt, toAt }) => fromAt >= toAt))
        return refuse(
          "invalid",
          "ahead",
          instantText(ahead.toAt),
          "is not after its beginning",
          "give the earlier time first",
        );
      return { events: [{ kind: "prices-foreseen", v: 1, at: now, ahead }] };
    }
    case "job.overspend":
      return overspend(state, command, now);
    case "contract.set": {
      const { contract } = command;
      const missing = noTenant(state, contract.tenant);
      if (missing !== undefined) return missing;
      if (contract.toAt <= contract.fromAt)
        return refuse("invalid", "to", instantText(contract.toAt), "is not after from", "give the earlier time first");
      if (contract.fromAt < (books.closedUntil.get(contract.tenant) ?? 0))
        return refuse(
          "conflict",
          "from",
          instantText(contract.fromAt),
          "lies in a closed period",
          "give a time in an open period",
        );
      const since = ownSince(state, state.accountByPath.get(contract.tenant)!);
      if (contract.fromAt < since)
        return refuse(
          "conflict",
          "from",
          instantText(contract.fromAt),
          `lies before ${contract.tenant} was created: another tenant had that name then`,
          `give a time from ${instantText(since)} on`,
        );
      return { events: [{ kind: "contract-set", v: 1, at: now, contract }] };
    }
    case "tenant.bill": {
      const { tenant, mode, creditLimitMicros } = command;
      const limit = creditLimitMicros === undefined ? {} : { creditLimitMicros };
      return noTenant(state, tenant) ?? { events: [{ kind: "tenant-billed", v: 1, at: now, tenant, mode, ...limit }] };
    }
    case "budget.set": {
      const { budget } = command;
      if (!state.accountByPath.has(budget.account)) return noAccountAt(budget.account);
      if (BigInt(budget.limitMicros) <= 0n)
        return refuse(
          "invalid",
          "limitMicros",
          budget.limitMicros,
          "is not above 0",
          "give the amount that may be spent",
        );
      return { events: [{ kind: "budget-set", v: 1, at: now, budget }] };
    }
    case "budget.drop":
      if (!books.budgets.has(command.account))
        return refuse("not-found", "account", command.account, "has no budget", "see: tess budget get");
      return { events: [{ kind: "budget-dropped", v: 1, at: now, account: command.account }] };
    case "budget.reach":
      return reachBudget(state, command, now);
    case "budget.foresee": {
      const { kind: _kind, ...foreseen } = command;
      const isNews = books.budgets.has(command.account) && books.foreseen.has(command.account) !== command.over;
      return { events: isNews ? [{ kind: "budget-foreseen", v: 1, at: now, ...foreseen }] : [] };
    }
    case "credit.reach": {
      const { tenant, reached, owedMicros } = command;
      if (books.creditReached.has(tenant) === reached) return { events: [] };
      const notice: Event = { kind: "credit-reached", v: 1, at: now, tenant, reached, owedMicros };
      const why = `the credit of ${tenant} is used up`;
      return { events: [notice, ...stopForBudget(state, tenant, reached ? "stop-burst" : "none", now, why)] };
    }
    case "invoice.issue":
      return issueInvoice(state, command, now);
    case "ledger.post":
      return postEntry(state, command, now);
  }
}

/** A job has used up its own budget: it stops gracefully, or does not start again. */
function overspend(state: State, command: Extract<MoneyCommand, { kind: "job.overspend" }>, now: Instant): Decision {
  const job = state.jobById.get(command.job);
  const budget = job?.spec.budgetMicros;
  if (job === undefined || budget === undefined || BigInt(command.spentMicros) < BigInt(budget)) return { events: [] };
  const currency = currencyOf(state.books.versions);
  const why = `its own budget of ${moneyText(BigInt(budget), currency)} is spent`;
  const events =
    job.state === "waiting"
      ? endJob(state, job, { outcome: "over-budget", reason: why }, now)
      : stopJob(state, job, "spent", now, undefined, why);
  if (events.length === 0) return { events };
  const { spentMicros } = command;
  const notice: Event = {
    kind: "own-budget-spent",
    v: 1,
    at: now,
    job: job.no,
    budgetMicros: String(budget),
    spentMicros,
  };
  return { events: [notice, ...events] };
}

function noAccountAt(path: string): Refusal {
  return refuse("not-found", "account", path, "does not exist", "see: tess account tree");
}

function noTenant(state: State, tenant: string): Refusal | undefined {
  if (!state.accountByPath.has(tenant)) return noAccountAt(tenant);
  if (!tenant.includes("/") && tenant !== "") return undefined;
  return refuse("invalid", "account", tenant, "is not a tenant", "name a top-level account");
}

/** The spent amount goes up and down; an event is written only when the budget reaches or leaves a threshold. */
function reachBudget(state: State, command: Extract<MoneyCommand, { kind: "budget.reach" }>, now: Instant): Decision {
  const { account, stop, perMille, spentMicros } = command;
  if (!state.books.budgets.has(account)) return { events: [] };
  const known = state.books.reached.get(account) ?? { stop: "none", perMille: 0 };
  if (known.stop === stop && known.perMille === perMille) return { events: [] };
  const reached: Event = { kind: "budget-reached", v: 1, at: now, account, stop, perMille, spentMicros };
  return { events: [reached, ...stopForBudget(state, account, stop, now)] };
}

function issueInvoice(state: State, command: IssueInvoice, now: Instant): Decision {
  const { books } = state;
  const { kind: _kind, ...issued } = command;
  const { tenant, period, currency, mode, ratingVersion } = issued;
  if (period.toAt > now)
    return refuse("conflict", "period", period.label, "is not over yet", "close it when it is over");
  if ((books.closedUntil.get(tenant) ?? 0) > period.fromAt)
    return refuse("already-exists", "period", period.label, `is closed for ${tenant}`, "tess invoice list shows it");
  const lines = issued.lines.map(readLine);
  const sums = { chargesMicros: 0n, creditsMicros: 0n };
  for (const { micros } of lines) sums[micros > 0n ? "chargesMicros" : "creditsMicros"] += micros;
  const totalMicros = BigInt(issued.totalMicros);
  const roundingMicros = totalMicros - sums.chargesMicros - sums.creditsMicros;
  const invoice: Invoice = {
    tenant,
    period,
    currency,
    mode,
    lines,
    ...sums,
    roundingMicros,
    totalMicros,
    ratingVersion,
  };
  const { nextEntry, nextInvoice } = serialsOf(books, tenant);
  const number = invoiceNumber(tenant, nextInvoice);
  // An invoice may be that of a former tenant with this name, issued after the name was given again.
  const { book } = holderAt(state, tenant, period.toAt - 1);
  const entries = entriesOf(invoice, number, nextEntry, now, book);
  const fault = unsound(entries);
  if (fault !== undefined) return fault;
  const event: Event = {
    kind: "invoice-issued",
    v: 1,
    at: now,
    number,
    ...issued,
    entries: entries.map(spell),
    own: true,
  };
  return { events: [event], result: number };
}

function unsound(entries: readonly LedgerEntry[]): Refusal | undefined {
  for (const entry of entries) {
    const fault = faultOf(entry);
    if (fault !== undefined) return refuse("invalid", `entries.${entry.no}`, entry.memo, fault, "book what adds up");
  }
  return undefined;
}

function postEntry(state: State, command: PostEntry, now: Instant): Decision {
  const { tenant, currency, memo } = command;
  const missing = noTenant(state, tenant);
  if (missing !== undefined) return missing;
  const legs = legsOf(state.books, command);
  if (isRefusal(legs)) return legs;
  const no = serialsOf(state.books, tenant).nextEntry;
  const of = command.of === undefined ? {} : { of: command.of };
  const entry: LedgerEntry = { no, kind: command.entry, at: now, currency, legs, memo, ...of };
  const fault = unsound([entry]);
  if (fault !== undefined) return fault;
  return {
    events: [{ kind: "entry-posted", v: 1, at: now, tenant, entry: spell(entry), own: true }],
    result: String(no),
  };
}

/** The legs of an entry that may be booked now. */
function legsOf(books: Books, command: PostEntry): LedgerEntry["legs"] | Refusal {
  const { tenant, entry, currency } = command;
  const micros = BigInt(command.micros);
  if (entry !== "adjustment" && micros < (entry === "void" ? 0n : 1n))
    return refuse("invalid", "micros", command.micros, "is not above 0", "give the amount without a sign");
  switch (entry) {
    case "payment":
    case "adjustment":
      return legsOfEntry(entry, tenant, micros);
    case "hold": {
      const limit = books.tenants.get(tenant)?.creditLimitMicros;
      const after = (books.balances.get(`${currency} tenant/${tenant}/owed`) ?? 0n) + micros;
      if (limit !== undefined && after > limit)
        return refuse(
          "not-allowed",
          "micros",
          command.micros,
          "exceeds the credit limit",
          "pay in first, or set aside less",
        );
      return legsOfEntry(entry, tenant, micros);
    }
    case "post":
    case "void": {
      const hold = books.holds.get(holdKey(books, tenant, command.of ?? 0));
      if (hold === undefined || hold.tenant !== tenant || hold.currency !== currency)
        return refuse(
          "not-found",
          "of",
          command.of ?? null,
          "is not an open hold of this tenant",
          "tess ledger shows them",
        );
      if (entry === "post" && micros > hold.micros)
        return refuse("invalid", "micros", command.micros, "is more than was set aside", "set aside more first");
      return legsOfEntry(entry, tenant, micros, hold.micros);
    }
  }
}

function spell(entry: LedgerEntry): SpelledEntry {
  return spelled(entry) as SpelledEntry;
}
