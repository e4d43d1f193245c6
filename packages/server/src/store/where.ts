import { bookLength, bookLengths } from "./book-length.ts";
import { rangeOf, tenantOf, topmost } from "./paths.ts";
import type { AuditPlace, AuditQuery, BookPageQuery, BookQuery, JobQuery, MadeAt } from "./port.ts";
import type { SealedTable, Sealing } from "./seal/sealing.ts";
import { storable } from "./text.ts";
import { spanRows } from "./usage-span.ts";

/** A value in a statement. */
export type Bound = string | number;

/** How a database spells things. */
export interface Dialect {
  /** The n-th placeholder, from 1. */
  mark(n: number): string;
  /** What stands before the name of a table. */
  readonly schema: string;
  /** The column that numbers the rows of `usage`, which have no other key. */
  readonly usageKey: string;
  readonly sealing: Sealing;
}

/** A list of conditions whose values are bound in order. */
export class Where {
  readonly values: Bound[] = [];
  readonly #parts: string[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Adds a condition in which each `?` stands for the next value. */
  and(condition: string, ...values: readonly Bound[]): this {
    this.#parts.push(`(${this.bind(condition, ...values)})`);
    return this;
  }

  /** Binds the values and returns the text with its placeholders. */
  bind(text: string, ...values: readonly Bound[]): string {
    let next = 0;
    return text.replaceAll("?", () => {
      const value = values[next++]!;
      this.values.push(typeof value === "string" ? storable(value) : value);
      return this.#dialect.mark(this.values.length);
    });
  }

  get text(): string {
    return this.#parts.length === 0 ? "" : `WHERE ${this.#parts.join(" AND ")}`;
  }
}

/**
 * How to find jobs: one statement for each list that has to be merged. The narrowest index leads: the jobs of an array,
 * of a name, of a user; then those under each account, which are kept in order of time; then all by time.
 */
export function jobStatements(query: JobQuery, columns: string, dialect: Dialect): Statement[] {
  const kept = keptOf("jobs", dialect);
  const roots = topmost(query.accounts).map((path) => kept("account", path));
  const madeAt = new Map([...(query.madeAt ?? [])].map(([path, at]) => [kept("account", path), at]));
  const led = query.arrayId !== undefined || query.name !== undefined || query.user !== undefined;
  const statement = (from: string, key: string, where: Where) => ({
    text: `SELECT ${columns} FROM ${from} ${where.text} ORDER BY ${key}.submitted_at DESC, ${key}.id DESC ${where.bind("LIMIT ?", query.limit)}`,
    values: where.values,
  });
  const common = (key: string, where: Where) => {
    if (query.arrayId !== undefined) where.and("j.array_id = ?", query.arrayId);
    if (query.name !== undefined) where.and("j.name = ?", kept("name", query.name));
    if (query.user !== undefined) where.and("j.user_id = ?", query.user);
    const { outcome } = query;
    if (typeof outcome === "string") where.and(`${key}.outcome = ?`, outcome);
    else if (outcome !== undefined) for (const not of outcome.not) where.and(`${key}.outcome <> ?`, not);
    if (query.tops) where.and("j.array_id IS NULL");
    if (query.before !== undefined) {
      where.and(`(${key}.submitted_at, ${key}.id) < (?, ?)`, query.before.submittedAt, query.before.id);
    }
    return where;
  };
  if (led || roots.length === 0) {
    const where = common("j", new Where(dialect));
    if (roots.length > 0) where.and(...within("j.account", roots, "j.submitted_at", madeAt));
    return [statement(`${dialect.schema}ended_job j`, "j", where)];
  }
  return roots.map((root) => {
    const where = common("u", new Where(dialect).and("u.ancestor = ?", root));
    const since = madeAt.get(root);
    if (since !== undefined) where.and("u.submitted_at >= ?", since);
    return statement(`${dialect.schema}ended_job_under u JOIN ${dialect.schema}ended_job j ON j.id = u.id`, "u", where);
  });
}

/** The rows that a span of time can be in: the journal is in the order of time. */
export interface SeqSpan {
  readonly from: number;
  readonly to: number;
}

function anyOf(column: string, values: readonly unknown[]): string {
  return values.length === 0 ? "1 = 0" : `${column} IN (${values.map(() => "?").join(", ")})`;
}

/** How to find audit records: one statement for each list that has to be merged. The narrowest index leads. */
export function auditStatements(query: AuditQuery, span: SeqSpan, columns: string, dialect: Dialect): Statement[] {
  const kept = keptOf("audit", dialect);
  const roots = topmost(query.accounts).map((path) => kept("account", path));
  const madeAt = new Map([...(query.madeAt ?? [])].map(([path, at]) => [kept("account", path), at]));
  const statement = (from: string, key: string, where: Where) => ({
    text: `SELECT ${columns} FROM ${from} ${where.text} ORDER BY ${key}.seq DESC, ${key}.idx DESC ${where.bind("LIMIT ?", query.limit)}`,
    values: where.values,
  });
  const common = (key: string, where: Where) => {
    if (query.target !== undefined) where.and("a.target = ?", kept("target", query.target));
    if (query.actor !== undefined) where.and("a.actor = ?", query.actor);
    if (query.action !== undefined) where.and("a.action = ?", query.action);
    if (query.outcome !== undefined) where.and("a.outcome = ?", query.outcome);
    if (query.outcomes !== undefined) where.and(anyOf("a.outcome", query.outcomes), ...query.outcomes);
    for (const actor of query.notBy ?? []) where.and("a.actor <> ?", actor);
    // Spelled out, so that the index of these alone can be used.
    if (query.outcome !== undefined && query.outcome !== "ok") where.and("a.outcome <> 'ok'");
    if (query.fromAt !== undefined) where.and(`${key}.seq >= ? AND ${key}.at >= ?`, span.from, query.fromAt);
    if (query.toAt !== undefined) where.and(`${key}.seq <= ? AND ${key}.at < ?`, span.to, query.toAt);
    if (query.before !== undefined) {
      where.and(`(${key}.seq, ${key}.idx) < (?, ?)`, query.before.seq, query.before.index);
    }
    return where;
  };
  const overall = (where: Where) => {
    if (roots.length > 0) where.and(...within("a.account", roots, "a.at", madeAt));
    return statement(`${dialect.schema}audit a`, "a", common("a", where));
  };
  const { actions } = query;
  /** Where something narrower leads, actions are only compared. */
  const among = (where: Where) => (actions === undefined ? where : where.and(anyOf("a.action", actions), ...actions));
  if (query.origins !== undefined)
    return query.origins.map((origin) => overall(among(new Where(dialect).and("a.origin = ?", origin))));
  const led =
    query.actor !== undefined || query.target !== undefined || (query.outcome !== undefined && query.outcome !== "ok");
  if (led && actions !== undefined) return [overall(among(new Where(dialect)))];
  if (actions !== undefined) return actions.map((action) => overall(new Where(dialect).and("a.action = ?", action)));
  if (led || roots.length === 0) return [overall(new Where(dialect))];
  return roots.map((root) => {
    const where = common("u", new Where(dialect).and("u.ancestor = ?", root));
    const since = madeAt.get(root);
    if (since !== undefined) where.and("u.at >= ?", since);
    return statement(
      `${dialect.schema}audit_under u JOIN ${dialect.schema}audit a ON a.seq = u.seq AND a.idx = u.idx`,
      "u",
      where,
    );
  });
}

/** How to read audit records on from a place. */
export function auditAfterStatement(place: AuditPlace, limit: number, columns: string, dialect: Dialect): Statement {
  const where = new Where(dialect).and("(a.seq, a.idx) > (?, ?)", place.seq, place.index);
  const text = `SELECT ${columns} FROM ${dialect.schema}audit a ${where.text} ORDER BY a.seq, a.idx ${where.bind("LIMIT ?", limit)}`;
  return { text, values: where.values };
}

/** The first record at or after a row of the journal, and the last of all. */
export function auditProbes(dialect: Dialect): { readonly from: string; readonly last: string } {
  const read = `SELECT seq, at FROM ${dialect.schema}audit`;
  return {
    from: `${read} WHERE seq >= ${dialect.mark(1)} ORDER BY seq, idx LIMIT 1`,
    last: `${read} ORDER BY seq DESC, idx DESC LIMIT 1`,
  };
}

/** How to find what has to do with money, in the order of the journal. */
export function bookStatement(query: BookQuery, columns: string, dialect: Dialect): Statement {
  const where = new Where(dialect).and("b.kind = ?", query.kind);
  if (query.key !== undefined) where.and("b.key = ?", dialect.sealing.bookKey(query.kind, storable(query.key)));
  // In byte order a point comes right after a hyphen.
  if (query.keyPrefix !== undefined)
    where.and("b.key >= ? AND b.key < ?", query.keyPrefix, `${query.keyPrefix.slice(0, -1)}.`);
  if (query.tenant !== undefined) where.and("b.tenant = ?", keptOf("books", dialect)("tenant", query.tenant));
  const { fromAt, toAt } = query;
  if (fromAt !== undefined) where.and("b.to_at >= ?", fromAt);
  if (toAt !== undefined) where.and("b.from_at < ?", toAt);
  // Of a tenant or with a key there are few.
  const isOfAll = fromAt !== undefined && toAt !== undefined && query.key === undefined && query.tenant === undefined;
  if (isOfAll) where.and(`${bookLength} = l.length AND b.to_at < ? + l.most_ms`, toAt);
  if (query.after !== undefined) where.and("(b.seq, b.idx) > (?, ?)", query.after.seq, query.after.index);
  const limit = query.limit === undefined ? "" : ` ${where.bind("LIMIT ?", query.limit)}`;
  const books = `${dialect.schema}book b`;
  const from = isOfAll ? `lengths l CROSS JOIN ${books}` : books;
  const text = `SELECT ${columns} FROM ${from} ${where.text} ORDER BY b.seq, b.idx${limit}`;
  return {
    text: isOfAll ? `WITH lengths(length, most_ms) AS (VALUES ${bookLengths}) ${text}` : text,
    values: where.values,
  };
}

/** How to find a cut of one kind of them, newest first. */
export function bookPageStatement(query: BookPageQuery, columns: string, dialect: Dialect): Statement {
  const { kind, tenants, before, limit } = query;
  const where = new Where(dialect).and("b.kind = ?", kind);
  if (tenants !== undefined) {
    const kept = tenants.map((tenant) => keptOf("books", dialect)("tenant", tenant));
    where.and(`b.tenant IN (${tenants.map(() => "?").join(", ")})`, ...kept);
  }
  if (before !== undefined) where.and("(b.to_at, b.seq, b.idx) < (?, ?, ?)", before.toAt, before.seq, before.index);
  const order = "ORDER BY b.to_at DESC, b.seq DESC, b.idx DESC";
  const text = `SELECT ${columns} FROM ${dialect.schema}book b ${where.text} ${order} ${where.bind("LIMIT ?", limit)}`;
  return { text, values: where.values };
}

/** How to find usage that overlaps [fromAt, toAt): one statement for each account, which have no rows in common. */
export function usageStatements(
  accounts: readonly string[],
  fromAt: number,
  toAt: number,
  columns: string,
  dialect: Dialect,
): Statement[] {
  const statement = (account?: string) => {
    const where = new Where(dialect).and("u.span = s.span");
    where.and("u.to_at > ? AND u.to_at < ? + s.length_ms AND u.from_at < ?", fromAt, toAt, toAt);
    if (account !== undefined) where.and("u.tenant = ?", tenantOf(account)).and(...within("u.account", [account]));
    const from = `spans s CROSS JOIN ${dialect.schema}usage u`; // SQLite takes them in this order, which is what we want
    const text = `WITH spans(span, length_ms) AS (VALUES ${spanRows}) SELECT ${columns} FROM ${from} ${where.text}`;
    return { text, values: where.values };
  };
  const kept = keptOf("usage", dialect);
  return accounts.length === 0 ? [statement()] : topmost(accounts).map((path) => statement(kept("account", path)));
}

/** What is searched for, as the tables hold it. */
function keptOf(table: SealedTable, { sealing }: Dialect): (column: string, value: string) => string {
  return (column, value) => sealing.column(table, column, storable(value));
}

export interface Statement {
  readonly text: string;
  readonly values: readonly Bound[];
}

/** Counts what a statement finds. */
export function countingStatement({ text, values }: Statement): Statement {
  return { text: `SELECT count(*) AS many FROM (${text}) found`, values };
}

/** The condition that a path is one of `roots` or below one, since those were made, and its values. */
function within(
  column: string,
  roots: readonly string[],
  time = "",
  madeAt: MadeAt = new Map(),
): [condition: string, ...values: Bound[]] {
  const one = (root: string) =>
    `(${column} || '/' >= ? AND ${column} || '/' < ?${madeAt.has(root) ? ` AND ${time} >= ?` : ""})`;
  const valuesOf = (root: string): Bound[] => {
    const since = madeAt.get(root);
    return since === undefined ? [...rangeOf(root)] : [...rangeOf(root), since];
  };
  return [roots.map(one).join(" OR "), ...roots.flatMap(valuesOf)];
}
