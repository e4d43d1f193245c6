import { randomBytes } from "node:crypto";
import {
  type Command,
  canonicalJson,
  type Decision,
  decideBatch,
  EventSpelling,
  type Input,
  isRefusal,
  nextDueAt,
  type Refusal,
  refuse,
  SchedulerMemory,
  type State,
  snapshotSchema,
  writeSnapshot,
} from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { coverPrivates } from "../../access/private-rows.ts";
import type { JournalPlace } from "../../journal/format.ts";
import { joinLines } from "../../journal/lines.ts";
import { draftAfter, placeAfter } from "../../journal/row.ts";
import type { PrivateWrite, Projected, Store } from "../../store/port.ts";
import type { Done } from "../control.ts";
import { crashPoint } from "../crash-point.ts";
import { Projector } from "../project/project.ts";
import { snapshotDigest } from "./snapshot-digest.ts";

/** One thing to decide, with what must become durable beside it. */
export interface WriteRequest {
  readonly input: Input;
  /** The input in canonical JSON: it is spelled where it comes in, and not again. */
  readonly line: string;
  readonly privates: readonly PrivateWrite[];
}

/** The request for an input. */
export function requestOf(input: Input, privates: readonly PrivateWrite[] = []): WriteRequest {
  const covered = coverPrivates(input, privates);
  return { input: covered, line: canonicalJson(covered), privates };
}

/** A batch on its way out: what became durable, and the answers, in the order of the requests. */
export interface Written {
  readonly seq: number;
  readonly at: number;
  /** Canonical JSON lines; empty when nothing was decided. */
  readonly events: string;
  readonly answers: readonly (Done | Refusal)[];
}

export interface WriterOptions {
  readonly store: Store;
  readonly state: State;
  readonly head: JournalPlace;
  readonly clock: Clock;
  readonly snapshotEveryEvents: number;
  /** Events that the last start had to replay; they count towards the next snapshot. */
  readonly eventsReplayed?: number;
  /** Below this many free bytes nothing new is taken in. */
  readonly freeBytesMin: number;
}

/**
 * The one writer. A batch is decided at once, made durable, and only then answered. The next may be decided while this
 * one is being made durable: they are committed in order. When a commit fails, the state in memory is ahead of the
 * journal: the error leaves `write`, also that of what was decided since, and the process must end and recover.
 */
export class Writer {
  readonly state: State;
  readonly #options: WriterOptions;
  #head: JournalPlace;
  #eventsSinceSnapshot: number;
  /** The last batch that was decided is durable. */
  #committed: Promise<void> = Promise.resolve();
  #room = true;
  readonly #memory = new SchedulerMemory();

  constructor(options: WriterOptions) {
    this.#options = options;
    this.state = options.state;
    this.#head = options.head;
    this.#eventsSinceSnapshot = options.eventsReplayed ?? 0;
  }

  get head(): JournalPlace {
    return this.#head;
  }

  get hasRoom(): boolean {
    return this.#room;
  }

  /** Whether the disk has room for more; looked at before a batch is decided, never in the middle of one. */
  async lookForRoom(): Promise<boolean> {
    const free = await this.#options.store.freeBytes();
    this.#room = free === undefined || free >= this.#options.freeBytesMin;
    return this.#room;
  }

  /** When the next batch is due although nothing happens; undefined = never. */
  get nextAt(): number | undefined {
    return nextDueAt(this.state, this.#memory);
  }

  async write(requests: readonly WriteRequest[]): Promise<Written> {
    return this.begin(requests).durable;
  }

  /** Decides a batch; `durable` resolves when it is. Throws CommitOutage there. */
  begin(requests: readonly WriteRequest[]): Begun {
    // Waited for elsewhere, so that nothing but the answers is kept until they are durable.
    const decided = this.#decide(requests);
    return { written: decided.written, effective: decided.effective, durable: whenDurable(decided) };
  }

  #decide(requests: readonly WriteRequest[]): Decided {
    const { store, clock } = this.#options;
    const { state } = this;
    const now = Math.max(clock.now(), state.clock);
    crashPoint("deciding");
    const admitted = this.#room ? requests : requests.filter(({ input }) => !addsSomething(input));
    const seq = this.#head.seq + 1;
    const projector = new Projector(seq);
    const inputs = admitted.map((request) => request.input);
    projector.noteSubjects(inputs, state);
    const outcome = decideBatch(state, inputs, now, {
      memory: this.#memory,
      see: (event) => projector.see(event, state),
    });
    let next = 0;
    const answers = requests.map((request) =>
      request === admitted[next] ? answerTo(outcome.decisions[next++]!, now) : diskFull,
    );
    if (outcome.events.length === 0) {
      // What was answered with may be what is on its way.
      return { written: { seq: seq - 1, at: now, events: "", answers }, effective: false, committed: this.#committed };
    }
    const spelling = new EventSpelling();
    const { lines, privates } = linesOf(admitted, outcome.inputs, spelling);
    const row = draftAfter(this.#head, {
      at: now,
      op: operationOf(outcome.inputs),
      epoch: state.epoch,
      inputs: joinLines(lines),
      events: joinLines(outcome.events.map((event) => spelling.spell(event))),
      salt: randomBytes(16),
    });
    const projected: Projected = projector.finish(outcome.inputs, state, now);
    crashPoint("committing");
    // From here on the next batch can be decided; it is committed after this one, or not at all.
    this.#head = placeAfter(row);
    this.#eventsSinceSnapshot += outcome.events.length;
    this.#committed = store.append({ row, projected, privates });
    return { written: { seq, at: now, events: row.events.text, answers }, effective: true, committed: this.#committed };
  }

  /** Writes a snapshot when enough has happened since the last: the more is live, the more it costs. */
  async snapshotIfDue(): Promise<void> {
    const enough = Math.max(this.#options.snapshotEveryEvents, eventsPerLiveJob * this.state.jobs.size);
    if (this.#eventsSinceSnapshot >= enough) await this.snapshot();
  }

  async snapshot(): Promise<void> {
    const { seq } = this.#head;
    if (seq === 0) return;
    const bytes = Buffer.from(writeSnapshot(this.state), "utf8");
    this.#eventsSinceSnapshot = 0;
    // What it holds may be on its way still; of a batch that fails no snapshot may be left.
    await this.#committed;
    const snapshot = { seq, schema: snapshotSchema, bytes };
    await this.#options.store.writeSnapshot({ ...snapshot, hash: snapshotDigest(snapshot) });
  }
}

interface Decided {
  readonly written: Written;
  /** Something is being made durable, and not only waited for. */
  readonly effective: boolean;
  readonly committed: Promise<void>;
}

/** A batch that was decided and is on its way. */
export interface Begun extends Omit<Decided, "committed"> {
  readonly durable: Promise<Written>;
}

async function whenDurable({ written, effective, committed }: Decided): Promise<Written> {
  await committed;
  if (effective) crashPoint("committed");
  return written;
}

/**
 * A live job costs about 20 us to write into a snapshot and as much to read back, an event 4 us to replay. With this
 * many events between snapshots a start stays quick, and snapshots stay a small part of the work.
 */
const eventsPerLiveJob = 4;

function answerTo(decision: Decision, at: number): Done | Refusal {
  return isRefusal(decision) ? decision : { result: decision.result, repeated: decision.repeated ?? false, at };
}

/** The lines of the inputs that had an effect, in their order, and what must become durable with them. */
function linesOf(requests: readonly WriteRequest[], effective: readonly Input[], spelling: EventSpelling) {
  const lines: string[] = [];
  const privates: PrivateWrite[] = [];
  for (const request of requests) {
    if (request.input !== effective[lines.length]) continue;
    lines.push(request.line);
    spelling.note(request.input, request.line);
    privates.push(...request.privates);
  }
  // Inputs that time alone caused belong to no request.
  while (lines.length < effective.length) lines.push(canonicalJson(effective[lines.length]));
  return { lines, privates };
}

/** The commit is named after the first command in it, or after chance where engines and timers alone spoke. */
function operationOf(inputs: readonly Input[]): string {
  for (const input of inputs) if (input.kind === "command") return input.op;
  return `op_${randomBytes(12).toString("hex")}`;
}

const growing = new Set<Command["kind"]>([
  "job.submit",
  "account.create",
  "user.create",
  "token.create",
  "secret.set",
  "audit.note",
]);

/** Whether a request makes something new; what only ends or changes things is taken on a nearly full disk too. */
export function addsSomething(input: Input): boolean {
  return input.kind === "command" && growing.has(input.command.kind);
}

const diskFull = refuse(
  "no-space",
  "",
  null,
  "The disk of the control plane is nearly full: new jobs and changes are refused, running jobs continue",
  "ask the platform owner to free disk space; cancelling and reading still work",
);

/** What is answered when nothing at all can be written. */
export const noRoomAtAll = refuse(
  "no-space",
  "",
  null,
  "The disk of the control plane is full: nothing can be written, so nothing was changed; running jobs continue",
  "ask the platform owner to free disk space, then try again; reading still works",
);
