import { createHash } from "node:crypto";
import {
  apply,
  canonicalJson,
  decideBatch,
  type Event,
  emptyState,
  readSnapshot,
  SchedulerMemory,
  type State,
  writeSnapshot,
} from "@tessera/core";
import type { Recorded } from "./journal.ts";

/** A batch that would be decided otherwise by the scheduler of today. */
export interface Difference {
  readonly seq: number;
  readonly at: number;
  /** The first event that differs; undefined where there is none. */
  readonly recorded: string | undefined;
  readonly decided: string | undefined;
}

/**
 * Decides recorded inputs again, batch by batch, and compares with what was decided then. The decisions of the past are
 * never fed; after a batch that differs the recorded state is taken up, so that each difference is told once.
 */
export class SameDecisions {
  readonly differences: Difference[] = [];
  batches = 0;
  #decided: State = emptyState();
  #memory = new SchedulerMemory();
  readonly #recorded: State = emptyState();

  /** The state of the past after the last batch. */
  get recorded(): State {
    return this.#recorded;
  }

  /** `look` is shown each recorded event while the state of the past is still without it. */
  see({ seq, at, inputs, lines, events }: Recorded, look: (event: Event, state: State) => void): void {
    this.batches++;
    const decided = decideBatch(this.#decided, inputs, at, { memory: this.#memory }).events.map(canonicalJson);
    for (const event of events) {
      look(event, this.#recorded);
      apply(this.#recorded, event);
    }
    if (at > this.#recorded.clock) this.#recorded.clock = at;
    const first = firstDifference(lines, decided);
    if (first === undefined) return;
    this.differences.push({ seq, at, recorded: lines[first], decided: decided[first] });
    this.#decided = readSnapshot(writeSnapshot(this.#recorded));
    this.#memory = new SchedulerMemory();
  }

  /** Whether both ways ended in the same state, byte for byte. */
  endsAlike(): boolean {
    return writeSnapshot(this.#decided) === writeSnapshot(this.#recorded);
  }

  /** Of the state that the inputs alone lead to, as `tess admin verify` tells it. */
  stateHash(): string {
    return createHash("sha256").update(writeSnapshot(this.#decided)).digest("hex");
  }
}

function firstDifference(a: readonly string[], b: readonly string[]): number | undefined {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i;
  return undefined;
}
