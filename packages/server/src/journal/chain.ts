import type { JournalHead, JournalRow } from "./format.ts";
import { checkRow, emptyJournal, headOf } from "./row.ts";

export type ChainCheck =
  | { readonly sound: true; readonly head: JournalHead }
  | { readonly sound: false; readonly seq: number; readonly fault: string };

/** Hands out rows with seq >= fromSeq in order, in pages of at most `limit`. */
interface RowReader {
  rows(fromSeq: number, limit: number): Promise<readonly JournalRow[]>;
}

/** Reads the journal after `from` and checks each row against the one before; names the first bad sequence number. */
export async function checkChain(
  reader: RowReader,
  rowsPerPage = 200,
  from: JournalHead = emptyJournal,
): Promise<ChainCheck> {
  let head = from;
  for (;;) {
    const page = await reader.rows(head.seq + 1, rowsPerPage);
    for (const row of page) {
      const fault = checkRow(row, head);
      if (fault !== undefined) return { sound: false, seq: head.seq + 1, fault };
      head = headOf(row);
    }
    if (page.length < rowsPerPage) return { sound: true, head };
  }
}
