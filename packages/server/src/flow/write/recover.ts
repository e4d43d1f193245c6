import assert from "node:assert/strict";
import {
  apply,
  type Event,
  emptyState,
  readSnapshot,
  type State,
  type StoredEvent,
  snapshotSchema,
  upcast,
} from "@tessera/core";
import { sha256 } from "../../journal/digest.ts";
import type { EventLines, JournalHead } from "../../journal/format.ts";
import { parseLines } from "../../journal/lines.ts";
import type { Snapshot, StoreReader } from "../../store/port.ts";

export interface Recovered {
  readonly state: State;
  readonly head: JournalHead;
  /** Where the snapshot stood, 0 without one. */
  readonly snapshotSeq: number;
  readonly eventsReplayed: number;
}

const rowsPerPage = 500;

/** The state as the journal has it: the newest snapshot that can be read, and the rows after it. */
export async function recover(reader: Pick<StoreReader, "head" | "eventLines" | "latestSnapshot">): Promise<Recovered> {
  const snapshot = await reader.latestSnapshot();
  const head = await reader.head();
  const usable = snapshot !== undefined && snapshot.seq <= head.seq && isUsable(snapshot);
  const state = usable ? readSnapshot(Buffer.from(snapshot.bytes).toString("utf8")) : emptyState();
  const snapshotSeq = usable ? snapshot.seq : 0;
  let eventsReplayed = 0;
  for (let seq = snapshotSeq; seq < head.seq; seq += rowsPerPage) {
    const page = await reader.eventLines(seq + 1, Math.min(rowsPerPage, head.seq - seq));
    assert.equal(page.at(-1)?.seq, Math.min(seq + rowsPerPage, head.seq), `rows after ${seq} are missing`);
    eventsReplayed += replayPage(state, page);
  }
  return { state, head, snapshotSeq, eventsReplayed };
}

function isUsable(snapshot: Snapshot): boolean {
  return snapshot.schema === snapshotSchema && Buffer.compare(sha256(snapshot.bytes), snapshot.hash) === 0;
}

/** Writes the events of these rows into the state; returns how many. */
function replayPage(state: State, page: readonly EventLines[]): number {
  const rows = page.filter((row) => row.eventCount > 0);
  const events = eventsIn(rows.map((row) => row.lines).join("\n"));
  let next = 0;
  for (const { at, eventCount } of rows) {
    for (const end = next + eventCount; next < end; next++) apply(state, events[next]!);
    if (at > state.clock) state.clock = at;
  }
  return next;
}

/** The events of a row in today's shapes. */
export function eventsOf(bytes: Uint8Array): Event[] {
  return eventsIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8"));
}

/** The same from its lines as text. */
export function eventsIn(lines: string): Event[] {
  return parseLines<StoredEvent>(lines).map(upcast);
}
