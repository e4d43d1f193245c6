import { apply, emptyState, readSnapshot, type State, type StoredEvent, snapshotSchema, upcast } from "@tessera/core";
import { sha256 } from "../journal/digest.ts";
import { emptyJournal, headOf } from "../journal/row.ts";
import type { JournalHead, JournalRow, Snapshot, StoreReader } from "../store/port.ts";

export interface Recovered {
  readonly state: State;
  readonly head: JournalHead;
  /** Where the snapshot stood, 0 without one. */
  readonly snapshotSeq: number;
  readonly eventsReplayed: number;
}

const rowsPerPage = 500;

/** The state as the journal has it: the newest snapshot that can be read, and the rows after it. */
export async function recover(reader: Pick<StoreReader, "rows" | "latestSnapshot">): Promise<Recovered> {
  const snapshot = await reader.latestSnapshot();
  const usable = snapshot !== undefined && isUsable(snapshot);
  const state = usable ? readSnapshot(Buffer.from(snapshot.bytes).toString("utf8")) : emptyState();
  const snapshotSeq = usable ? snapshot.seq : 0;
  let head = emptyJournal;
  let eventsReplayed = 0;
  if (usable) {
    const [row] = await reader.rows(snapshotSeq, 1);
    if (row !== undefined) head = headOf(row);
  }
  for (;;) {
    const rows = await reader.rows(head.seq + 1, rowsPerPage);
    for (const row of rows) {
      eventsReplayed += replayRow(state, row);
      head = headOf(row);
    }
    if (rows.length < rowsPerPage) return { state, head, snapshotSeq, eventsReplayed };
  }
}

function isUsable(snapshot: Snapshot): boolean {
  return snapshot.schema === snapshotSchema && Buffer.compare(sha256(snapshot.bytes), snapshot.hash) === 0;
}

/** Writes the events of one row into the state; returns how many. */
export function replayRow(state: State, row: JournalRow): number {
  const events = eventsOf(row.events);
  for (const event of events) apply(state, event);
  if (row.at > state.clock) state.clock = row.at;
  return events.length;
}

/** The events of a row in today's shapes. One parse for the whole row: rows are many, lines many more. */
export function eventsOf(bytes: Uint8Array) {
  if (bytes.length === 0) return [];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  const stored = JSON.parse(`[${text.replaceAll("\n", ",")}]`) as StoredEvent[];
  return stored.map(upcast);
}
