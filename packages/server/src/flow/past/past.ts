import { emptyState, type Instant, type ReadonlyState, readSnapshot, type State, snapshotSchema } from "@tessera/core";
import type { StoreReader } from "../../store/port.ts";
import { replay } from "../write/recover.ts";
import { isIntact } from "../write/snapshot-digest.ts";

/** Between snapshots there are never many events; from the beginning on, no more rows than these are replayed. */
const rowsFromStartMax = 100_000;

/** The state as it was at a moment. */
export interface Moment {
  readonly state: ReadonlyState;
  /** The last row of the journal by then. */
  readonly seq: number;
}

/** A row from which the past can be made again, with the moment of it. */
export interface Kept {
  readonly seq: number;
  readonly at: Instant;
}

type Read = Pick<StoreReader, "head" | "eventLines" | "snapshots" | "snapshot">;

/**
 * Past states, made again from the snapshot before a moment and the rows after it. The last one is remembered: a person
 * who moves along the time asks for one moment after the other.
 */
export class Past {
  readonly #reader: Read;
  #last: { readonly state: State; readonly seq: number } | undefined;

  constructor(reader: Read) {
    this.#reader = reader;
  }

  /** The earliest moment that can be shown; undefined where nothing has happened yet. */
  async oldest(): Promise<Kept | undefined> {
    const { seq: head } = await this.#reader.head();
    const snapshots = await this.#snapshots();
    const first = snapshots.at(-1) ?? head;
    return this.#rowAt(first <= rowsFromStartMax ? 1 : first);
  }

  /** The state at a moment; undefined where too much would have to be replayed for it, or nothing had happened yet. */
  async at(moment: Instant): Promise<Moment | undefined> {
    const seq = await this.#lastRowBy(moment);
    if (seq === 0) return undefined;
    const base = await this.#baseFor(seq);
    if (base === undefined) return undefined;
    await replay(this.#reader, base.state, base.seq, seq);
    this.#last = { state: base.state, seq };
    return this.#last;
  }

  async #baseFor(seq: number): Promise<{ state: State; seq: number } | undefined> {
    const [nearest = 0] = (await this.#snapshots()).filter((each) => each <= seq);
    const last = this.#last;
    if (last !== undefined && last.seq <= seq && last.seq >= nearest) {
      // While it is brought forward it is no moment, and another question must not take it too.
      this.#last = undefined;
      return last;
    }
    if (nearest === 0) return seq > rowsFromStartMax ? undefined : { state: emptyState(), seq: 0 };
    const snapshot = await this.#reader.snapshot(nearest);
    // It may have been replaced between the two looks.
    if (snapshot === undefined || !isIntact(snapshot)) return undefined;
    return { state: readSnapshot(Buffer.from(snapshot.bytes).toString("utf8")), seq: nearest };
  }

  /** The rows of the snapshots that this version can read, the newest first. */
  async #snapshots(): Promise<number[]> {
    const all = await this.#reader.snapshots();
    return all.filter(({ schema }) => schema === snapshotSchema).map(({ seq }) => seq);
  }

  async #rowAt(seq: number): Promise<Kept | undefined> {
    const [row] = await this.#reader.eventLines(seq, 1);
    return row && { seq: row.seq, at: row.at };
  }

  /** The last row that was written by then; 0 = none. */
  async #lastRowBy(moment: Instant): Promise<number> {
    let [low, high] = [0, (await this.#reader.head()).seq];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const row = await this.#rowAt(middle);
      if (row !== undefined && row.at <= moment) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
