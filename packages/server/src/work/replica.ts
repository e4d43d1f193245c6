import { apply, passTime, type State } from "@tessera/core";
import type { CommitListener } from "../flow/commits.ts";
import { eventsIn, recover } from "../flow/write/recover.ts";
import type { StoreReader } from "../store/port.ts";

const rowsPerPage = 200;

/** A state that follows the journal by reading it: what is asked on this thread costs the others nothing. */
export class Replica {
  readonly state: State;
  readonly #reader: StoreReader;
  readonly #listeners = new Set<CommitListener>();
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

  get seq(): number {
    return this.#seq;
  }

  follow(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes in what was committed, at least up to row `seq`. */
  async catchUp(seq: number): Promise<void> {
    while (this.#seq < seq) {
      const page = await this.#reader.eventLines(this.#seq + 1, rowsPerPage);
      if (page.length === 0) throw new Error(`row ${this.#seq + 1} of the journal is not there`);
      for (const { seq: at, at: instant, eventCount, lines } of page) {
        const events = eventCount === 0 ? [] : eventsIn(lines);
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
