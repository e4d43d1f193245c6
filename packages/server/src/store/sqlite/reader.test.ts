import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import {
  auditAfterStatement,
  auditStatements,
  bookStatement,
  jobStatements,
  type Statement,
  usageStatements,
} from "../where.ts";
import { devicesText, sqlite } from "./reader.ts";
import { migrate } from "./schema.ts";

describe("questions to SQLite", () => {
  const page = { limit: 50 };
  const span = { from: 1, to: 2 };
  const auditQueries = [
    {},
    { before: { seq: 1, index: 1 } },
    { actor: "u" },
    { action: "x" },
    { target: "t" },
    { outcome: "refused" },
    { outcome: "ok" },
    { origins: ["o", "p"] },
    { fromAt: 1, toAt: 2 },
  ];
  const statements: Statement[] = [
    auditAfterStatement({ seq: 1, index: 1 }, 50, "a.*", sqlite),
    ...[[], ["a"], ["a", "b/c"]].flatMap((accounts) => [
      ...jobStatements({ ...page, accounts }, ["j.*"], sqlite),
      ...jobStatements({ ...page, accounts, after: { submittedAt: 1, id: "x" } }, ["j.*"], sqlite),
      ...jobStatements({ ...page, accounts, user: "u" }, ["j.*"], sqlite),
      ...jobStatements({ ...page, accounts, name: "n" }, ["j.*"], sqlite),
      ...jobStatements({ ...page, accounts, arrayId: "r" }, ["j.*"], sqlite),
      ...jobStatements({ ...page, accounts, outcome: "failed" }, ["j.*"], sqlite),
      ...auditQueries.flatMap((query) => auditStatements({ ...page, accounts, ...query }, span, "a.*", sqlite)),
      ...usageStatements(accounts, 1, 2, "u.*", sqlite),
    ]),
    { text: devicesText, values: [1, 1, 2] },
    bookStatement({ kind: "usage", fromAt: 1, toAt: 2 }, "b.*", sqlite),
    bookStatement({ kind: "usage", tenant: "a", fromAt: 1, toAt: 2 }, "b.*", sqlite),
  ];

  it("find the use of a day of long ago between two ends of an index", () => {
    const db = new DatabaseSync(":memory:");
    migrate(db, "memory");
    const { text, values } = bookStatement({ kind: "usage", fromAt: 1, toAt: 2 }, "b.*", sqlite);
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values);
    const search = plan.map((step) => String(step.detail)).find((step) => step.startsWith("SEARCH b"));
    assert.match(search ?? "", /book_by_length \(kind=\? AND <expr>=\? AND to_at>\? AND to_at<\?\)/);
    db.close();
  });

  it("are answered from an index, never by reading a table from end to end", () => {
    const db = new DatabaseSync(":memory:");
    migrate(db, "memory");
    for (const { text, values } of statements) {
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all(...values)
        .map((step) => String(step.detail));
      // Walking a table in the wanted order is fine as long as the walk ends with the page.
      const inOrder = text.includes("LIMIT ?") && !plan.some((step) => step.includes("TEMP B-TREE"));
      const scans = plan.filter((step) => /^SCAN (?!s$|l$|gpus|CONSTANT|\d+ CONSTANT)/.test(step));
      assert.ok(inOrder || scans.length === 0, `${text}\n${plan.join("\n")}`);
    }
    db.close();
  });
});
