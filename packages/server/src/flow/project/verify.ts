import { apply, emptyState, type Input, readSnapshot, snapshotSchema, writeSnapshot } from "@tessera/core";
import { sha256 } from "../../journal/digest.ts";
import type { JournalRow } from "../../journal/format.ts";
import { linesOf } from "../../journal/lines.ts";
import { checkRow, emptyJournal, headOf } from "../../journal/row.ts";
import { asStored } from "../../store/index.ts";
import type { Projected, Snapshot, StoreReader } from "../../store/port.ts";
import { anchorFault } from "../trail/anchor-fault.ts";
import { PrivateNotes } from "../trail/private-notes.ts";
import { eventsOf } from "../write/recover.ts";
import { isIntact } from "../write/snapshot-digest.ts";
import { Projector } from "./project.ts";

export interface Verdict {
  readonly sound: boolean;
  /** The first bad sequence number. */
  readonly badSeq?: number;
  readonly fault?: string;
  readonly rows: number;
  readonly events: number;
  /** SHA-256 of the state after the last row. */
  readonly stateHash: string;
  readonly headHash: string;
}

const rowsPerPage = 200;

export interface VerifyOptions {
  /** Files of heads that were kept outside, besides the folders that are anchors. Absent: no heads are compared. */
  readonly anchors?: readonly string[];
  readonly progress?: (rows: number) => void;
}

/** Replays the journal from nothing, row by row, handing out what each row projects. */
async function* replay(reader: StoreReader) {
  const state = emptyState();
  let head = emptyJournal;
  for (;;) {
    const rows = await reader.rows(head.seq + 1, rowsPerPage);
    for (const row of rows) {
      const fault = checkRow(row, head);
      if (fault !== undefined) {
        yield { state, row, head, fault, projected: undefined };
        return;
      }
      const projected = projectRow(state, row);
      head = headOf(row);
      yield { state, row, head, fault: undefined, projected };
    }
    if (rows.length < rowsPerPage) return;
  }
}

/** What one row adds to the projections, while it is written into the state. */
function projectRow(state: ReturnType<typeof emptyState>, row: JournalRow): Projected {
  const inputs = linesOf(row.inputs).map((line) => JSON.parse(line) as Input);
  const projector = new Projector(row.seq);
  projector.noteSubjects(inputs, state);
  if (row.at > state.clock) state.clock = row.at;
  for (const event of eventsOf(row.events)) {
    projector.see(event, state);
    apply(state, event);
  }
  return projector.finish(inputs, state, row.at);
}

/**
 * Checks everything that can be checked: the structure of the store and its private rows, the chain, that each row can
 * be replayed, that the snapshot is the state it says it is, and that the projections hold what the journal says, no
 * more and no less. Names the part that is damaged.
 */
export async function verify(reader: StoreReader, options: VerifyOptions = {}): Promise<Verdict> {
  const { anchors, progress = () => {} } = options;
  const digest = new ProjectionDigest();
  const notes = new PrivateNotes();
  let [rows, events, headHash] = [0, 0, ""];
  let state = emptyState();
  const bad = (badSeq: number | undefined, fault: string): Verdict => ({
    sound: false,
    ...(badSeq !== undefined && { badSeq }),
    fault,
    rows,
    events,
    stateHash: "",
    headHash,
  });
  let snapshot: Snapshot | undefined;
  try {
    const faults = await reader.faults();
    if (faults.length > 0) return bad(undefined, faults.join("; "));
    snapshot = await reader.latestSnapshot();
  } catch (error) {
    return bad(undefined, `the store or its snapshot cannot be read: ${(error as Error).message}`);
  }
  if (snapshot !== undefined && !isIntact(snapshot)) return bad(snapshot.seq, `the snapshot of this row is damaged`);
  try {
    for await (const step of replay(reader)) {
      if (step.fault !== undefined) return bad(step.head.seq + 1, step.fault);
      state = step.state;
      rows = step.row.seq;
      events += step.row.eventCount;
      headHash = Buffer.from(step.row.hash).toString("hex");
      digest.add(asStored(step.projected));
      notes.take(step.row);
      if (snapshot?.seq === step.row.seq && snapshot.schema === snapshotSchema) {
        if (Buffer.from(snapshot.bytes).toString("utf8") !== writeSnapshot(state))
          return bad(step.row.seq, "the snapshot is not the state of this row");
      }
      if (rows % 1_000 === 0) progress(rows);
    }
  } catch (error) {
    return bad(rows + 1, `row ${rows + 1}: cannot be replayed: ${(error as Error).message}`);
  }
  if (snapshot !== undefined && snapshot.seq > rows)
    return bad(rows, `the snapshot is of row ${snapshot.seq}, but the journal ends here`);
  const text = writeSnapshot(state);
  if (writeSnapshot(readSnapshot(text)) !== text) return bad(rows, "the state does not survive being written and read");
  const fault = await digest.compare(reader);
  if (fault !== undefined) return bad(rows, fault);
  const anchored = anchors === undefined ? undefined : await anchorFault(reader, state, anchors, rows);
  const outside = anchored ?? (await notes.fault(reader, state));
  if (outside !== undefined) return bad(outside.row, outside.text);
  return { sound: true, rows, events, stateHash: sha256(Buffer.from(text)).toString("hex"), headHash };
}

/** Everything the journal projects, page by page, to fill empty tables from. */
export async function* projections(reader: StoreReader): AsyncGenerator<Projected> {
  for await (const step of replay(reader)) {
    if (step.fault !== undefined) throw new Error(step.fault);
    yield step.projected;
  }
}

/** A sum over rows in any order: two tables with the same rows have the same sum. */
class ProjectionDigest {
  readonly #sums = { jobs: 0n, usage: 0n, devices: 0n, audit: 0n, books: 0n };
  readonly #counts = { jobs: 0, usage: 0, devices: 0, audit: 0, books: 0 };

  add(projected: Projected): void {
    for (const table of tables) for (const row of projected[table]) this.#put(table, row);
  }

  #put(table: (typeof tables)[number], row: object): void {
    const text = JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#sums[table] = BigInt.asUintN(128, this.#sums[table] + sha256(Buffer.from(text)).readBigUInt64BE());
    this.#counts[table]++;
  }

  async compare(reader: StoreReader): Promise<string | undefined> {
    const stored = new ProjectionDigest();
    try {
      for await (const page of reader.projected()) stored.add(page);
    } catch (error) {
      return `the projections cannot be read: ${(error as Error).message}`;
    }
    for (const table of tables) {
      if (stored.#counts[table] !== this.#counts[table] || stored.#sums[table] !== this.#sums[table]) {
        return `the ${table} projection differs from the journal (${stored.#counts[table]} rows, ${this.#counts[table]} expected); run tess admin rebuild to write it again from the journal`;
      }
    }
    return undefined;
  }
}

const tables = ["jobs", "usage", "devices", "audit", "books"] as const;
