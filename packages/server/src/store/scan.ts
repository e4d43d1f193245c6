import {
  auditColumns,
  auditRowOf,
  bookColumns,
  bookRowOf,
  deviceColumns,
  deviceRowOf,
  type Found,
  jobColumns,
  jobRowOf,
  usageColumns,
  usageRowOf,
} from "./columns.ts";
import type { PrivateWrite, Projected } from "./port.ts";
import { type Bound, type Dialect, type Statement, Where } from "./where.ts";

/** Reads whole tables page by page, each page from the key where the last one ended: nothing stays open in between. */
export type Ask = (statement: Statement) => Promise<Found[]>;

const rowsPerPage = 1_000;

/** All rows of the projections, table by table. */
export async function* scanProjected(ask: Ask, dialect: Dialect): AsyncGenerator<Projected> {
  const { sealing } = dialect;
  const empty: Projected = { jobs: [], usage: [], devices: [], audit: [], books: [] };
  for await (const page of scan(ask, dialect, "ended_job", jobColumns, ["id"])) {
    yield { ...empty, jobs: page.map((found) => jobRowOf(found, sealing)) };
  }
  for await (const page of scan(ask, dialect, "usage", usageColumns, [dialect.usageKey])) {
    yield { ...empty, usage: page.map((found) => usageRowOf(found, sealing)) };
  }
  for await (const page of scan(ask, dialect, "device", deviceColumns, ["gpu", "at", "seq"])) {
    yield { ...empty, devices: page.map(deviceRowOf) };
  }
  for await (const page of scan(ask, dialect, "audit", auditColumns, ["seq", "idx"])) {
    yield { ...empty, audit: page.map((found) => auditRowOf(found, sealing)) };
  }
  for await (const page of scan(ask, dialect, "book", bookColumns, ["seq", "idx"])) {
    yield { ...empty, books: page.map((found) => bookRowOf(found, sealing)) };
  }
}

/** All private rows, as the writes that would put them. */
export async function* scanPrivates(ask: Ask, dialect: Dialect): AsyncGenerator<PrivateWrite[]> {
  for await (const page of scan(ask, dialect, "private", "kind, key, value", ["kind", "key"])) {
    yield page.map(({ kind, key, value }) => dialect.sealing.openPrivate({ kind, key, value }));
  }
}

/** All private rows with what is kept to check them by. */
export function scanDigests(ask: Ask, dialect: Dialect): AsyncGenerator<Found[]> {
  return scan(ask, dialect, "private", "kind, key, value, digest", ["kind", "key"]);
}

async function* scan(ask: Ask, dialect: Dialect, table: string, columns: string, key: readonly string[]) {
  const keys = key.join(", ");
  const aliases = key.map((column, i) => `${column} AS key_${i}`).join(", ");
  for (let after: Bound[] | undefined; ; ) {
    const where = new Where(dialect);
    if (after !== undefined) where.and(`(${keys}) > (${key.map(() => "?").join(", ")})`, ...after);
    const limit = where.bind("LIMIT ?", rowsPerPage);
    const text = `SELECT ${columns}, ${aliases} FROM ${dialect.schema}${table} ${where.text} ORDER BY ${keys} ${limit}`;
    const page = await ask({ text, values: where.values });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < rowsPerPage) return;
    after = key.map((_, i) => last[`key_${i}`]);
  }
}
