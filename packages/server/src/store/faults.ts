import { privateDigest } from "./private-digest.ts";
import type { Ask } from "./scan.ts";
import { scanDigests } from "./scan.ts";
import type { Dialect } from "./where.ts";

/** The private rows that are not what was written. */
export async function privateFaults(ask: Ask, dialect: Dialect): Promise<string[]> {
  const damaged: string[] = [];
  for await (const page of scanDigests(ask, dialect)) {
    for (const { kind, key, value, digest } of page) {
      if (digest !== null && Buffer.compare(privateDigest(kind, key, value), digest) !== 0)
        damaged.push(`${kind} ${key}`);
    }
  }
  if (damaged.length === 0) return [];
  const named = damaged.slice(0, 5).join(", ");
  return [`private rows are damaged: ${named}${damaged.length > 5 ? ` and ${damaged.length - 5} more` : ""}`];
}

/** The tables that say which rows are under an account: each row stands once for every account above it. */
const underTables = [
  {
    under: "ended_job_under",
    table: "ended_job",
    key: "t.id = u.id",
    same: `t.submitted_at = u.submitted_at AND t.outcome = u.outcome
      AND u.element = CASE WHEN t.array_id IS NULL THEN 0 ELSE 1 END`,
  },
  { under: "audit_under", table: "audit", key: "t.seq = u.seq AND t.idx = u.idx", same: "t.at = u.at" },
];

/** Which of those tables do not follow from the tables that they point to. */
export async function underFaults(ask: Ask, { schema }: Dialect): Promise<string[]> {
  const faults: string[] = [];
  for (const { under, table, key, same } of underTables) {
    const above = "(t.account = u.ancestor OR substr(t.account, 1, length(u.ancestor) + 1) = u.ancestor || '/')";
    const [counted] = await ask({
      text: `SELECT (SELECT count(*) FROM ${schema}${under}) AS held,
          (SELECT coalesce(sum(1 + length(account) - length(replace(account, '/', ''))), 0) FROM ${schema}${table}) AS expected,
          (SELECT count(*) FROM ${schema}${under} u JOIN ${schema}${table} t ON ${key} WHERE ${same} AND ${above}) AS matching`,
      values: [],
    });
    const [held, expected, matching] = [counted?.held, counted?.expected, counted?.matching].map(Number);
    if (held !== expected || matching !== held)
      faults.push(
        `the table ${under} does not follow from ${table} (${held} rows, ${expected} expected, ${matching} match)`,
      );
  }
  return faults;
}
