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
  writeSnapshot,
} from "@tessera/core";
import type { EventLines, JournalHead } from "../../journal/format.ts";
import { parseLines } from "../../journal/lines.ts";
import { type Store, StoreDamaged, type StoreReader } from "../../store/port.ts";
import { isIntact, snapshotDigest } from "./snapshot-digest.ts";
import { checkAtStart, type StartChecks } from "./start-checks.ts";

export interface Recovered {
  readonly state: State;
  readonly head: JournalHead;
  /** Where the snapshot stood, 0 without one. */
  readonly snapshotSeq: number;
  readonly eventsReplayed: number;
  /** There was a snapshot that could not be used. */
  readonly snapshotDamaged: boolean;
}

const rowsPerPage = 500;

type Read = Pick<StoreReader, "head" | "eventLines" | "latestSnapshot">;

/** The state as the journal has it: the newest snapshot, and the rows after it; all rows where the snapshot is damaged. */
export async function recover(reader: Read, say: (text: string) => void = tell): Promise<Recovered> {
  const head = await reader.head();
  let snapshotDamaged = false;
  const snapshot = await usableSnapshot(reader, head, (fault) => {
    snapshotDamaged = true;
    say(`${fault}; the state is made from all ${head.seq} rows of the journal instead`);
  });
  const state = snapshot === undefined ? emptyState() : readSnapshot(Buffer.from(snapshot.bytes).toString("utf8"));
  const snapshotSeq = snapshot?.seq ?? 0;
  const eventsReplayed = await replay(reader, state, snapshotSeq, head.seq);
  return { state, head, snapshotSeq, eventsReplayed, snapshotDamaged };
}

/** Brings a state that stands at one row to a later one; returns how many events that took. */
export async function replay(
  reader: Pick<StoreReader, "eventLines">,
  state: State,
  from: number,
  to: number,
): Promise<number> {
  let events = 0;
  for (let seq = from; seq < to; seq += rowsPerPage) {
    const page = await reader.eventLines(seq + 1, Math.min(rowsPerPage, to - seq));
    assert.equal(page.at(-1)?.seq, Math.min(seq + rowsPerPage, to), `rows after ${seq} are missing`);
    events += replayPage(state, page);
  }
  return events;
}

async function usableSnapshot(reader: Read, head: JournalHead, damaged: (fault: string) => void) {
  let fault: string;
  try {
    const snapshot = await reader.latestSnapshot();
    if (snapshot === undefined) return undefined;
    const { seq } = snapshot;
    if (!isIntact(snapshot)) fault = `the snapshot of row ${seq} is damaged`;
    else if (seq > head.seq)
      fault = `the snapshot of row ${seq} is newer than the journal, which ends at row ${head.seq}`;
    else return snapshot.schema === snapshotSchema ? snapshot : undefined; // another version's is not for us
  } catch (error) {
    fault = `the snapshot cannot be read (${(error as Error).message})`;
  }
  damaged(fault);
  return undefined;
}

function tell(text: string): void {
  console.error(`tessera: ${text}`);
}

/** Recovers a store whose newest rows and structure are what was written; or says what is not, where told to go on. */
export async function recoverChecked(store: Store, checks: StartChecks) {
  let recovered: Recovered | undefined;
  let failure: unknown;
  try {
    recovered = await recover(store, checks.say);
  } catch (error) {
    failure = error;
  }
  const damage = await checkAtStart(store, recovered?.snapshotSeq ?? 0, checks);
  if (recovered?.snapshotDamaged) await replaceSnapshot(store, recovered);
  if (recovered !== undefined) return { ...recovered, damage };
  if (damage === undefined) throw failure;
  throw new StoreDamaged(`${damage}; it cannot be replayed: ${(failure as Error).message}`, { cause: failure });
}

/** So that the next start is quick again, and `verify` finds the store sound. */
async function replaceSnapshot(store: Store, { state, head }: Recovered): Promise<void> {
  if (head.seq === 0) return;
  const snapshot = { seq: head.seq, schema: snapshotSchema, bytes: Buffer.from(writeSnapshot(state), "utf8") };
  await store.writeSnapshot({ ...snapshot, hash: snapshotDigest(snapshot) });
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
