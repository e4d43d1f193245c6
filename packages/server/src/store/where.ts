import { bookLength, bookLengths } from "./book-length.ts";
import { rangeOf, tenantOf, topmost } from "./paths.ts";
import type {
  AuditPlace,
  AuditQuery,
  BookPageQuery,
  BookQuery,
  JobGroup,
  JobKey,
  JobPlace,
  JobQuery,
  JobWalk,
  MadeAt,
} from "./port.ts";
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
  /** What follows the name of a table to have it read along an index, where that can be said. */
  along(index: string): string;
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
export function jobStatements(query: JobQuery, columns: readonly string[], dialect: Dialect): Statement[] {
  const kept = keptOf("jobs", dialect);
  const roots = topmost(query.accounts).map((path) => kept("account", path));
  const madeAt = new Map([...(query.madeAt ?? [])].map(([path, at]) => [kept("account", path), at]));
  const led = query.arrayId !== undefined || query.name !== undefined || query.user !== undefined;
  const [way, than] = query.oldestFirst === true ? ["ASC", ">"] : ["DESC", "<"];
  const statement = (from: string, key: string, where: Where) => ({
    text: `SELECT ${columns.join(", ") || "1"} FROM ${from} ${where.text} ORDER BY ${key}.submitted_at ${way}, ${key}.id ${way} ${where.bind("LIMIT ?", query.limit)}`,
    values: where.values,
  });
  const common = (key: string, where: Where) => {
    if (query.arrayId !== undefined) where.and("j.array_id = ?", query.arrayId);
    if (query.name !== undefined) where.and("j.name = ?", kept("name", query.name));
    if (query.user !== undefined) where.and("j.user_id = ?", query.user);
    hasOutcome(where, key, query.outcome);
    if (query.after !== undefined) {
      where.and(`(${key}.submitted_at, ${key}.id) ${than} (?, ?)`, query.after.submittedAt, query.after.id);
    }
    return where;
  };
  if (led || roots.length === 0) {
    const where = common("j", new Where(dialect));
    if (query.tops) where.and("j.array_id IS NULL");
    if (roots.length > 0) where.and(...within("j.account", roots, "j.submitted_at", madeAt));
    return [statement(`${dialect.schema}ended_job j`, "j", where)];
  }
  return roots.map((root) => {
    const where = common("u", new Where(dialect).and("u.ancestor = ?", root));
    const since = madeAt.get(root);
    if (since !== undefined) where.and("u.submitted_at >= ?", since);
    if (query.tops) where.and("u.element = 0");
    const under = `${dialect.schema}ended_job_under u`;
    // What is only counted is all in the index of the account.
    return statement(
      columns.length === 0 ? under : `${under} JOIN ${dialect.schema}ended_job j ON j.id = u.id`,
      "u",
      where,
    );
  });
}

function hasOutcome(where: Where, key: string, outcome: JobQuery["outcome"]): void {
  if (typeof outcome === "string") where.and(`${key}.outcome = ?`, outcome);
  else if (outcome !== undefined) for (const not of outcome.not) where.and(`${key}.outcome <> ?`, not);
}

/** The columns by which jobs are kept in order, and the indexes of it. */
const keyColumns: Readonly<Record<JobKey, string>> = {
  name: "name",
  gpus: "gpus",
  priority: "priority",
  outcome: "outcome",
  started: "started_key",
  since: "ran_until",
  waited: "waited_ms",
  ran: "ran_ms",
};
const groupColumns: Readonly<Record<JobGroup, string>> = { user: "user_id", account: "account" };

/** How to walk through an index of jobs. */
export class JobWalkStatements {
  readonly #walk: JobWalk;
  readonly #dialect: Dialect;
  /** What the index is ordered by, of which a place has a value each. */
  readonly #columns: readonly string[];
  readonly #from: string;

  constructor(walk: JobWalk, dialect: Dialect) {
    this.#walk = walk;
    this.#dialect = dialect;
    const { along } = walk;
    const column = "key" in along ? keyColumns[along.key] : groupColumns[along.group];
    this.#columns = ["key" in along ? [`j.${column}`] : [], "j.submitted_at", "j.id"].flat();
    this.#from = `${dialect.schema}ended_job j${dialect.along(`ended_job_order_${column}`)}`;
  }

  /** Whether every row on the way is wanted. */
  get takesAll(): boolean {
    const { accounts, user, name, outcome } = this.#walk;
    return accounts.length === 0 && user === undefined && name === undefined && outcome === undefined;
  }

  /** How many steps there are, at most as many as may be taken. */
  length(): Statement {
    const where = this.#way();
    return countingStatement({
      text: `SELECT 1 FROM ${this.#from} ${where.text} ${where.bind("LIMIT ?", this.#walk.stepsMax)}`,
      values: where.values,
    });
  }

  /** The place of the last of them. */
  end(): Statement {
    const where = this.#way();
    const [key = "NULL"] = this.#columns.length === 3 ? this.#columns : [];
    const text = `SELECT ${key} AS key, j.submitted_at AS submitted_at, j.id AS id FROM ${this.#from} ${where.text} ${this.#order}`;
    return { text: `${text} ${where.bind("LIMIT 1 OFFSET ?", this.#walk.stepsMax - 1)}`, values: where.values };
  }

  /** The rows on the way, no further than to a place. */
  rows(columns: readonly string[], upTo: JobPlace | undefined): Statement {
    const { accounts, user, name, outcome, limit } = this.#walk;
    const dialect = this.#dialect;
    const kept = keptOf("jobs", dialect);
    const where = this.#way();
    if (upTo !== undefined) where.and(...this.#against(this.#walk.down ? ">=" : "<=", upTo));
    if (user !== undefined) where.and("j.user_id = ?", user);
    if (name !== undefined) where.and("j.name = ?", kept("name", name));
    hasOutcome(where, "j", outcome);
    const roots = topmost(accounts).map((path) => kept("account", path));
    const madeAt = new Map([...(this.#walk.madeAt ?? [])].map(([path, at]) => [kept("account", path), at]));
    if (roots.length > 0) where.and(...within("j.account", roots, "j.submitted_at", madeAt));
    const text = `SELECT ${columns.join(", ")} FROM ${this.#from} ${where.text} ${this.#order}`;
    return { text: `${text} ${where.bind("LIMIT ?", limit)}`, values: where.values };
  }

  #way(): Where {
    const { along, after, down } = this.#walk;
    const where = new Where(this.#dialect).and("j.array_id IS NULL");
    if ("group" in along)
      where.and(
        `j.${groupColumns[along.group]} = ?`,
        along.group === "account" ? keptOf("jobs", this.#dialect)("account", along.of) : along.of,
      );
    if (after !== undefined) where.and(...this.#against(down ? "<" : ">", after));
    return where;
  }

  #against(sign: string, { key, submittedAt, id }: JobPlace): [condition: string, ...values: Bound[]] {
    const values = this.#columns.length === 3 ? [key!, submittedAt, id] : [submittedAt, id];
    return [`(${this.#columns.join(", ")}) ${sign} (${values.map(() => "?").join(", ")})`, ...values];
  }

  get #order(): string {
    return `ORDER BY ${this.#columns.map((column) => `${column} ${this.#walk.down ? "DESC" : "ASC"}`).join(", ")}`;
  }
}

/** Every value of a group, stepping from value to value through the index. */
export function groupsText(group: JobGroup, { schema, along }: Dialect): string {
  const column = groupColumns[group];
  const from = `${schema}ended_job j${along(`ended_job_order_${column}`)}`;
  const next = (after: string) =>
    `SELECT j.${column} FROM ${from} WHERE j.array_id IS NULL${after} ORDER BY j.${column} LIMIT 1`;
  return `
    WITH RECURSIVE found(value) AS (
      SELECT (${next("")})
      UNION ALL
      SELECT (${next(` AND j.${column} > found.value`)}) FROM found WHERE found.value IS NOT NULL
    )
    SELECT value FROM found WHERE value IS NOT NULL`;
}

/** How to find jobs by their ids. */
export function jobsByIdStatement(ids: readonly string[], columns: readonly string[], dialect: Dialect): Statement {
  const where = new Where(dialect).and(`j.id IN (${ids.map(() => "?").join(", ")})`, ...ids);
  return { text: `SELECT ${columns.join(", ")} FROM ${dialect.schema}ended_job j ${where.text}`, values: where.values };
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
