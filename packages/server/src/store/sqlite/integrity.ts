import type { DatabaseSync } from "node:sqlite";

const faultsMax = 5;

/** What is wrong with the structure of the file, each fault with the table or index that it is in. */
export function integrityFaults(db: DatabaseSync): string[] {
  try {
    const found = db.prepare(`PRAGMA integrity_check(${faultsMax})`).all();
    const lines = found.flatMap(({ integrity_check }) => String(integrity_check).split("\n"));
    if (lines.length === 1 && lines[0] === "ok") return [];
    const names = namesByRoot(db);
    return lines
      .filter((line) => !line.startsWith("*** in database"))
      .map((line) => `${partOf(line, names)}: ${line}`)
      .slice(0, faultsMax);
  } catch (error) {
    return unreadableTables(db, (error as Error).message);
  }
}

/** The tables that cannot be read to their end. */
function unreadableTables(db: DatabaseSync, message: string): string[] {
  let names: string[];
  try {
    names = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name));
  } catch {
    return [`the list of tables cannot be read: ${message}`];
  }
  const bad = names.filter((name) => {
    try {
      for (const _ of db.prepare(`SELECT * FROM ${name}`).iterate());
      return false;
    } catch {
      return true;
    }
  });
  return [`${bad.length === 0 ? "an index" : `the table ${bad.join(", ")}`} cannot be read: ${message}`];
}

/** Tables and indexes by the page at which they begin. */
function namesByRoot(db: DatabaseSync): Map<string, string> {
  const found = db.prepare("SELECT rootpage, type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0").all();
  return new Map(
    found.map(({ rootpage, type, name, tbl_name }) => [
      String(rootpage),
      type === "table" ? `the table ${name}` : `an index of the table ${tbl_name}`,
    ]),
  );
}

function partOf(line: string, names: ReadonlyMap<string, string>): string {
  const root = /^Tree (\d+)/.exec(line)?.[1];
  return (root !== undefined && names.get(root)) || "the store";
}

/** How large the store is; 0 where that cannot be read, so that it is looked at. */
export function bytesIn(db: DatabaseSync): number {
  try {
    const pages = db.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size").get();
    return Number(pages?.bytes ?? 0);
  } catch {
    return 0;
  }
}
