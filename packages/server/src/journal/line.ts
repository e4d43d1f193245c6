import type { JournalRow } from "./format.ts";

const bytesFields = ["inputs", "events", "salt", "root", "hash"] as const;

/** A row as one line of JSON; bytes in base64. */
export function lineOf(row: JournalRow): string {
  const bytes = bytesFields.map((field) => [field, Buffer.from(row[field]).toString("base64")]);
  return JSON.stringify({ ...row, ...Object.fromEntries(bytes) });
}

/** The inverse of `lineOf`. */
export function rowOf(line: string): JournalRow {
  const parsed = JSON.parse(line) as Record<string, unknown>;
  const bytes = bytesFields.map((field) => [field, Buffer.from(parsed[field] as string, "base64")]);
  return { ...parsed, ...Object.fromEntries(bytes) } as unknown as JournalRow;
}
