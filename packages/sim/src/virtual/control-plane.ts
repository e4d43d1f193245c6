import { setImmediate as otherTurn } from "node:timers/promises";
import {
  apply,
  type Command,
  emptyState,
  type Input,
  type OperationId,
  passTime,
  type Refusal,
  readSnapshot,
  type State,
  type UserId,
  writeSnapshot,
} from "@tessera/core";
import type { Engine } from "@tessera/engine";
import type { SimulatedClock } from "@tessera/engine-simulated";
import {
  type CommitListener,
  type Done,
  Driver,
  emptyJournal,
  eventsIn,
  openMemoryStore,
  type PrivateWrite,
  type Recovered,
  requestOf,
  type Store,
  Writer,
} from "@tessera/server";

interface Waiting {
  readonly input: Input;
  readonly privates: readonly PrivateWrite[];
  readonly answer: (answer: Done | Refusal) => void;
}

/** More batches than this at one instant are an exchange without end, not a long way to rest. */
const roundsMax = 2_000;

const simulator = "usr_simulator" as UserId;

/**
 * The server's own writer and driver on a virtual clock, with the journal in memory. Nothing moves unless time is
 * moved; at each instant everything that happens then is gathered into one batch before the core decides.
 */
export class VirtualControlPlane {
  readonly clock: SimulatedClock;
  /** A replica made from committed events, as the server's API has one. */
  readonly state: State;
  readonly #writer: Writer;
  readonly #listeners: CommitListener[] = [];
  #inbox: Waiting[] = [];
  /** Row of the journal it went on from: operations of different lives must not have one name. */
  readonly #startedFrom: number;
  #operations = 0;
  #dead = false;
  #timerAt = Number.POSITIVE_INFINITY;
  #callOff: () => void = () => {};

  /** A new control plane, or one that goes on with what was recovered from its store. */
  constructor(
    clock: SimulatedClock,
    store: Store = openMemoryStore(),
    { state, head }: Pick<Recovered, "state" | "head"> = { state: emptyState(), head: emptyJournal },
  ) {
    this.clock = clock;
    this.#startedFrom = head.seq;
    this.state = readSnapshot(writeSnapshot(state));
    const never = Number.POSITIVE_INFINITY;
    this.#writer = new Writer({ store, state, head, clock, snapshotEveryEvents: never, freeBytesMin: 0 });
    this.#wakeAtNextTimer();
  }

  /** The writer's own state: what the replica must equal at rest. */
  get written(): State {
    return this.#writer.state;
  }

  /** Lets the server's driver make `engine` do what is committed. */
  async drive(engine: Engine): Promise<void> {
    const driver = new Driver({
      engine,
      plays: () => true,
      state: this.state,
      report: (report) => this.put({ kind: "report", v: 1, engine: engine.name, report }),
      secretsFor: async () => ({ secrets: {} }),
      now: () => this.clock.now(),
      sleep: (ms) => new Promise((resolve) => void this.clock.at(this.clock.now() + ms, resolve)),
      onFenced: (error) => {
        throw error;
      },
      warn: (text) => {
        throw new Error(`a simulated engine does not fail: ${text}`);
      },
    });
    this.follow(driver);
    await driver.adopt();
  }

  follow(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /** Asked at this instant; answered while the control plane comes to rest. */
  ask(command: Command, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    const op = `op_${this.#startedFrom}_${++this.#operations}` as OperationId;
    return this.put({ kind: "command", v: 1, op, actor: { user: simulator }, request: op, command }, privates);
  }

  put(input: Input, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    return new Promise((answer) => this.#inbox.push({ input, privates, answer }));
  }

  /** Writes a snapshot of what is committed, so that what opens the store next need not read the whole journal. */
  snapshot(): Promise<void> {
    return this.#writer.snapshot();
  }

  /** What the end of its process does: a caller that waits for it waits for ever. */
  die(): void {
    this.#dead = true;
  }

  /** Decides until nothing more happens at this instant. False: it does not come to rest. */
  async settle(): Promise<boolean> {
    for (let round = 0; round < roundsMax; ) {
      await otherTurn(); // every promise that can go on has gone on
      if (this.#dead) await new Promise<never>(() => {});
      const now = this.clock.now();
      if ((this.clock.nextAt() ?? Number.POSITIVE_INFINITY) <= now) {
        this.clock.advanceTo(now);
      } else if (this.#inbox.length === 0) {
        return true;
      } else {
        await this.#write();
        round++;
      }
    }
    return false;
  }

  /** Lets time pass, coming to rest at each instant on the way. What is due at `instant` itself waits in the inbox. */
  async advanceTo(instant: number): Promise<boolean> {
    for (let next = this.clock.nextAt(); next !== undefined && next < instant; next = this.clock.nextAt()) {
      this.clock.advanceTo(next);
      if (!(await this.settle())) return false;
    }
    this.clock.advanceTo(instant);
    return true;
  }

  async #write(): Promise<void> {
    const batch = this.#inbox;
    this.#inbox = [];
    const written = await this.#writer.write(batch.map(({ input, privates }) => requestOf(input, privates)));
    const events = eventsIn(written.events);
    for (const event of events) {
      for (const listener of this.#listeners) listener.before?.(event, this.state, written.seq);
      apply(this.state, event);
    }
    passTime(this.state, written.at);
    for (const [i, { answer }] of batch.entries()) answer(written.answers[i]!);
    if (events.length > 0) {
      for (const listener of this.#listeners)
        listener.after?.({ seq: written.seq, at: written.at, events }, this.state);
    }
    this.#wakeAtNextTimer();
  }

  #wakeAtNextTimer(): void {
    const nextAt = this.#writer.nextAt ?? Number.POSITIVE_INFINITY;
    if (nextAt === this.#timerAt) return;
    this.#callOff();
    this.#timerAt = nextAt;
    if (nextAt === Number.POSITIVE_INFINITY) return;
    this.#callOff = this.clock.at(nextAt, () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      void this.put({ kind: "tick", v: 1 });
    });
  }
}
