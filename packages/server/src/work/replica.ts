import { apply, emptyState, type Instant, passTime, readSnapshot, type State, snapshotSchema } from "@tessera/core";
import type { CommitListener } from "../flow/commits.ts";
import { eventsIn, recover } from "../flow/write/recover.ts";
import { isIntact } from "../flow/write/snapshot-digest.ts";
import type { StoreReader } from "../store/port.ts";

const rowsPerPage = 200;

/** Follows a replica, which waits for it before each row: the state stands still meanwhile. */
export interface RowListener extends CommitListener {
  beforeRow?(at: Instant, state: State): Promise<void>;
}

/** A state that follows the journal by reading it: what is asked on this thread costs the others nothing. */
export class Replica {
  readonly state: State;
  readonly #reader: StoreReader;
  readonly #listeners = new Set<RowListener>();
  #seq: number;

  private constructor(reader: StoreReader, state: State, seq: number) {
    this.#reader = reader;
    this.state = state;
    this.#seq = seq;
  }

  static async open(reader: StoreReader): Promise<Replica> {
    const { state, head } = await recover(reader);
    return new Replica(reader, state, head.seq);
  }

  /**
   * Begins at a row that is not after `seq`: at the newest intact snapshot by then, else at the first row. The newest of
   * all is of no use after an ordinary restart: it was written at the end of the journal, after the row where the
   * caller stopped.
   */
  static async behind(reader: StoreReader, seq: number): Promise<Replica> {
    for (const { seq: at, schema } of await reader.snapshots()) {
      if (at > seq || schema !== snapshotSchema) continue;
      const snapshot = await reader.snapshot(at).catch(() => undefined);
      if (snapshot === undefined || !isIntact(snapshot)) continue;
      return new Replica(reader, readSnapshot(Buffer.from(snapshot.bytes).toString("utf8")), at);
    }
    return new Replica(reader, emptyState(), 0);
  }

  get seq(): number {
    return this.#seq;
  }

  follow(listener: RowListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes in what was committed, up to row `seq`. */
  async catchUp(seq: number): Promise<void> {
    while (this.#seq < seq) {
      const page = await this.#reader.eventLines(this.#seq + 1, Math.min(rowsPerPage, seq - this.#seq));
      if (page.length === 0) throw new Error(`row ${this.#seq + 1} of the journal is not there`);
      for (const { seq: at, at: instant, eventCount, lines } of page) {
        const events = eventCount === 0 ? [] : eventsIn(lines);
        if (events[0] !== undefined) {
          for (const listener of this.#listeners) await listener.beforeRow?.(events[0].at, this.state);
        }
        for (const event of events) {
          for (const listener of this.#listeners) listener.before?.(event, this.state, at);
          apply(this.state, event);
        }
        passTime(this.state, instant);
        this.#seq = at;
        for (const listener of this.#listeners) listener.after?.({ seq: at, at: instant, events }, this.state);
      }
    }
  }
}
