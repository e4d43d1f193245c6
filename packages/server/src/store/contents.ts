import type { JournalRow } from "../journal/format.ts";
import { checkRow, emptyJournal, headOf } from "../journal/row.ts";
import type { PrivateWrite, Projected, Snapshot, Store, StoreReader } from "./port.ts";

/** A reader that can also show all private rows, of any kind: what goes into a backup and comes out of one. */
export interface WholeReader extends StoreReader {
  /** The id of the key that seals what it holds; undefined where nothing is sealed. */
  readonly sealedBy: string | undefined;
}

/** A store that can take over the contents of another while it is still empty. */
export interface FillableStore extends Store, WholeReader {
  /** Copies everything in one transaction, checking each row against the one before. */
  fill(from: WholeReader): Promise<void>;
}

/** What takes the contents in, inside a transaction. */
export interface Filling {
  rows(rows: readonly JournalRow[]): void | Promise<void>;
  projected(projected: Projected): void | Promise<void>;
  privates(writes: readonly PrivateWrite[]): void | Promise<void>;
  snapshot(snapshot: Snapshot): void | Promise<void>;
}

const rowsPerPage = 100;

/** What is moved from one store into another. */
export type Source = Pick<WholeReader, "rows" | "projected" | "allPrivates" | "latestSnapshot">;

/** Moves all that `from` shows into `into`; throws at the first row of the journal that is not sound. */
export async function pour(from: Source, into: Filling): Promise<void> {
  for (let head = emptyJournal; ; ) {
    const page = await from.rows(head.seq + 1, rowsPerPage);
    for (const row of page) {
      const fault = checkRow(row, head);
      if (fault !== undefined) throw new Error(fault);
      head = headOf(row);
    }
    if (page.length > 0) await into.rows(page);
    if (page.length < rowsPerPage) break;
  }
  for await (const page of from.projected()) await into.projected(page);
  for await (const page of from.allPrivates()) await into.privates(page);
  const snapshot = await from.latestSnapshot();
  if (snapshot !== undefined) await into.snapshot(snapshot);
}
