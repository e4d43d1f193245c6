import type { Input } from "@tessera/core";
import { eventsOf, linesOf, type StoreReader } from "@tessera/server";

/** One committed batch: what came in, and what was decided on it. */
export interface Recorded {
  readonly seq: number;
  readonly at: number;
  readonly inputs: readonly Input[];
  /** Canonical JSON, one line per event. */
  readonly lines: readonly string[];
  readonly events: ReturnType<typeof eventsOf>;
}

const rowsPerPage = 500;

/** The whole journal, oldest first. */
export async function* recordedBatches(reader: Pick<StoreReader, "rows">): AsyncGenerator<Recorded> {
  for (let seq = 0; ; ) {
    const rows = await reader.rows(seq + 1, rowsPerPage);
    for (const row of rows) {
      yield {
        seq: row.seq,
        at: row.at,
        inputs: linesOf(row.inputs).map((line) => JSON.parse(line) as Input),
        lines: linesOf(row.events),
        events: eventsOf(row.events),
      };
    }
    if (rows.length < rowsPerPage) return;
    seq += rows.length;
  }
}
