import {
  type Command,
  decideBatch,
  type Event,
  type Input,
  isRefusal,
  nextDueAt,
  type OperationId,
  type Refusal,
  SchedulerMemory,
  type State,
  type UserId,
} from "@tessera/core";
import { SimulatedClock } from "@tessera/engine-simulated";

/** More batches than this at one instant are an exchange without end, not a long way to rest. */
const roundsMax = 2_000;
const system = "usr_simulator" as UserId;

/** Observes each event before and after it is written, and each input that is refused. */
export interface Onlooker {
  readonly before?: (event: Event, state: State) => void;
  readonly after: (event: Event, state: State) => void;
  readonly refused: (input: Input, refusal: Refusal) => void;
}

/**
 * The product's core on a virtual clock: everything that happens at one instant is one batch, as the server's writer
 * would make it, and batches follow until nothing more happens at it.
 */
export class Kernel {
  readonly state: State;
  readonly clock: SimulatedClock;
  readonly #onlooker: Onlooker;
  readonly #memory = new SchedulerMemory();
  #inbox: Input[] = [];
  #operations = 0;
  batches = 0;

  constructor(state: State, startAt: number, onlooker: Onlooker) {
    this.state = state;
    this.clock = new SimulatedClock(startAt);
    this.#onlooker = onlooker;
  }

  /** When the next batch is due although nothing happens. */
  get nextAt(): number | undefined {
    return nextDueAt(this.state, this.#memory);
  }

  put(input: Input): void {
    this.#inbox.push(input);
  }

  ask(command: Command): void {
    const op = `op_${this.#operations++}` as OperationId;
    this.put({ kind: "command", v: 1, op, actor: { user: system }, request: op, command });
  }

  /** Decides until nothing more happens at this instant. */
  settle(): void {
    let rounds = 0;
    do {
      const inputs = this.#inbox;
      this.#inbox = [];
      const { before, after, refused } = this.#onlooker;
      const { events, decisions } = decideBatch(this.state, inputs, this.clock.now(), {
        memory: this.#memory,
        ...(before !== undefined && { see: before }),
      });
      this.batches++;
      for (const event of events) after(event, this.state);
      for (const [i, decision] of decisions.entries()) if (isRefusal(decision)) refused(inputs[i]!, decision);
      if (++rounds > roundsMax) throw new Error(`no rest at ${this.clock.now()}`);
    } while (this.#inbox.length > 0);
  }
}
