import type { Command, Refusal, State } from "@tessera/core";
import type { Capabilities } from "@tessera/engine";
import { RatedTime } from "../flow/bill/rated.ts";
import type { CommitListener } from "../flow/commits.ts";
import type { Asker, ControlPlane, Done } from "../flow/control.ts";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { Replica } from "./replica.ts";
import type { TaskContext, TaskThread } from "./thread.ts";

/** The control plane as a worker sees it: a state of its own, made by reading, and changes made where they may be. */
export class ReplicaControl implements ControlPlane {
  /** Until the first task says what they are. */
  capabilities: Capabilities = { images: false, isolation: [], workdir: false };
  readonly reader: StoreReader;
  readonly rated: RatedTime;
  readonly #replica: Replica;
  readonly #thread: TaskThread;
  #check: () => void = () => {};
  #askedAt = 0;

  private constructor(replica: Replica, reader: StoreReader, thread: TaskThread) {
    this.#replica = replica;
    this.#thread = thread;
    this.reader = checkedReader(reader, () => this.#check());
    this.rated = new RatedTime(this);
  }

  static async open(reader: StoreReader, thread: TaskThread): Promise<ReplicaControl> {
    return new ReplicaControl(await Replica.open(reader), reader, thread);
  }

  get state(): State {
    return this.#replica.state;
  }

  /** Makes this the state that the asking thread saw, or a later one. */
  async begin({ seq, now, capabilities, check }: TaskContext): Promise<void> {
    this.#check = check;
    this.#askedAt = now;
    this.capabilities = capabilities;
    await this.#replica.catchUp(seq);
  }

  /** Takes in what was committed up to this row: what was read beside the state must not be ahead of it. */
  reach(seq: number): Promise<void> {
    return this.#replica.catchUp(seq);
  }

  /** Stands still for a task: the store knows of what happened since then, and the state does not. */
  now(): number {
    return Math.max(this.#askedAt, this.state.clock);
  }

  async ask(command: Command, by: Asker, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    const { answer, seq } = await this.#thread.ask(command, by, privates);
    await this.#replica.catchUp(seq);
    return answer;
  }

  follow(listener: CommitListener): () => void {
    return this.#replica.follow(listener);
  }

  get origins(): never {
    return notHere();
  }

  notePrivate = notHere;
  logs = notHere;
  open = notHere;
  ports = notHere;
  files = notHere;
  readFile = notHere;
  readiness = notHere;
  hasRoom = notHere;
}

function notHere(): never {
  throw new Error("a worker has no engine and no store to write to");
}

/** Each question to the store is a place at which a task can stop. */
function checkedReader(reader: StoreReader, check: () => void): StoreReader {
  return new Proxy(reader, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        check();
        return Reflect.apply(value, target, given);
      };
    },
  });
}
