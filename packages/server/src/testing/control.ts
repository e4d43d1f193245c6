import {
  apply,
  type Command,
  type Input,
  isRefusal,
  type LeaseId,
  type NodeFacts,
  type Refusal,
  type Report,
  type ReportWhat,
  readSnapshot,
  type State,
  writeSnapshot,
} from "@tessera/core";
import {
  type Capabilities,
  type Engine,
  type Entry,
  type EntryAsk,
  EntryRefused,
  type FileContent,
  type FileEntry,
  type JobFolder,
  type LogLine,
  type LogQuery,
} from "@tessera/engine";
import { RatedTime } from "../flow/bill/rated.ts";
import type { CommitListener } from "../flow/commits.ts";
import { type Asker, type ControlPlane, type Done, Outage } from "../flow/control.ts";
import { Origins } from "../flow/notice/origins.ts";
import { signAndPut } from "../flow/notice/sign.ts";
import { eventsIn, recover } from "../flow/write/recover.ts";
import { requestOf, type WriteRequest, Writer } from "../flow/write/writer.ts";
import { MemoryPlace, openMemoryStore } from "../store/index.ts";
import type { PrivateWrite, Store, StoreReader } from "../store/port.ts";

/** A fleet of equal nodes, declared, not found. */
export function fleetOf(nodes: number, gpusEach: number, model = "H100"): NodeFacts[] {
  return Array.from({ length: nodes }, (_, n) => ({
    name: `n${n + 1}`,
    engine: "test",
    place: { zone: "z1", block: "b1", rack: "r1", nvlink: `n${n + 1}` },
    gpus: Array.from({ length: gpusEach }, (_, g) => ({ uuid: `GPU-${n + 1}-${g}`, model, memoryMiB: 81_920 })),
    cpusMilli: 64_000,
    memoryMiB: 524_288,
    virtual: true,
    bootId: "boot-1",
    address: "127.0.0.1",
  }));
}

const system: Asker = { actor: { user: "system" }, request: "test" };

/**
 * A control plane in this process over the real core and writer, with a store in memory and an engine that is played
 * by the test: `report` says what became of a lease.
 */
export class TestControl implements ControlPlane {
  readonly reader: StoreReader;
  readonly state: State;
  capabilities: Capabilities = { images: false, isolation: ["whole"], workdir: true, code: true };
  /** Log lines by lease, for tests that read logs. */
  readonly logLines = new Map<string, LogLine[]>();
  /** Files of running members by `lease/folder`, for tests that read them. */
  readonly liveFiles = new Map<string, { readonly [path: string]: string }>();
  /** Set to make every request fail as if the writer had stopped. */
  outage: string | undefined;
  readonly #writer: Writer;
  readonly #store: Store;
  readonly #clock: { at: number | undefined };
  readonly #listeners = new Set<CommitListener>();
  readonly rated = new RatedTime(this);
  readonly origins = new Origins();
  #queue: (WriteRequest & { resolve: (answer: Done | Refusal) => void })[] = [];
  #writing = false;

  private constructor(store: Store, writer: Writer, clock: { at: number | undefined }) {
    this.#store = store;
    this.reader = store;
    this.#writer = writer;
    this.#clock = clock;
    this.state = readSnapshot(writeSnapshot(writer.state));
  }

  /** Starts on what the place holds, as a server does after a crash. */
  static async start(place: MemoryPlace = new MemoryPlace(), nodes: readonly NodeFacts[] = []): Promise<TestControl> {
    place.dropHolder();
    const store = openMemoryStore(place);
    const { state, head } = await recover(store);
    const clock: { at: number | undefined } = { at: undefined };
    const now = () => clock.at ?? Date.now();
    const writer = new Writer({
      store,
      state,
      head,
      clock: { now, at: () => () => {} },
      snapshotEveryEvents: 1e9,
      freeBytesMin: 0,
    });
    const control = new TestControl(store, writer, clock);
    if (nodes.length > 0) await control.must({ kind: "node.register", nodes });
    return control;
  }

  /** As the server writes one when enough has happened. */
  snapshot(): Promise<void> {
    return this.#writer.snapshot();
  }

  /** Fixes the time; it does not pass by itself any more. */
  setTime(at: number): void {
    this.#clock.at = at;
  }

  now(): number {
    return Math.max(this.#clock.at ?? Date.now(), this.state.clock);
  }

  ask(command: Command, by: Asker, privates: readonly PrivateWrite[] = []): Promise<Done | Refusal> {
    return signAndPut(this, command, by, privates, (input, rows) => this.#put(input, rows));
  }

  /** Asks as the system and expects no refusal. */
  async must(command: Command, privates: readonly PrivateWrite[] = []): Promise<Done> {
    const done = await this.ask(command, system, privates);
    if (isRefusal(done)) throw new Error(`${command.kind}: ${done.field} ${done.detail}`);
    return done;
  }

  /** What the engine says of a lease. */
  async report(lease: LeaseId, what: ReportWhat, at = this.now()): Promise<void> {
    const sequence = (this.state.leases.get(lease)?.reportSequence ?? 0) + 1;
    const report = { lease, sequence, bootId: "boot-1", at, what };
    await this.#put({ kind: "report", v: 1, engine: "test", report }, []);
  }

  /** What a real engine says. */
  hear(engine: string, report: Report): Promise<Done | Refusal> {
    return this.#put({ kind: "report", v: 1, engine, report }, []);
  }

  /** Lets every member of a job come to a good end. */
  async end(job: string, at?: number): Promise<void> {
    for (const { id } of this.#leasesOf(job)) await this.report(id, { kind: "exited", ran: true, code: 0 }, at);
  }

  #leasesOf(job: string) {
    return [...this.state.leases.values()].filter(({ id }) => id.startsWith(`${job}-`));
  }

  /** Lets every lease of a placed job run. */
  async run(job: string): Promise<void> {
    const leases = () => this.#leasesOf(job);
    for (const { id, handover } of leases()) {
      if (handover === undefined) continue;
      if (handover.scrub.length > 0) await this.report(id, { kind: "scrubbed", how: "test" });
      if (handover.reshape.length > 0) await this.report(id, { kind: "reshaped", how: "test" });
    }
    for (const { id } of leases())
      await this.report(id, { kind: "prepared", engineId: `e-${id}`, enforcement: { memory: "none" } });
    for (const { id } of leases()) await this.report(id, { kind: "started" });
  }

  /** Lets every lease of a job end with this code. */
  async finish(job: string, code = 0): Promise<void> {
    for (const { id } of [...this.state.leases.values()].filter(({ id }) => id.startsWith(`${job}-`))) {
      await this.report(id, { kind: "exited", ran: true, code });
    }
  }

  async tick(): Promise<void> {
    await this.#put({ kind: "tick", v: 1 }, []);
  }

  notePrivate(writes: readonly PrivateWrite[]): void {
    void this.#store.writePrivates(writes);
  }

  follow(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async *logs(lease: LeaseId, { tail, sinceAt = 0 }: LogQuery): AsyncIterable<LogLine> {
    const lines = (this.logLines.get(lease) ?? []).filter((line) => line.at >= sinceAt);
    yield* tail === undefined ? lines : lines.slice(Math.max(0, lines.length - tail));
  }

  /** Who lets people into members, for tests that go inside. */
  inside: Pick<Engine, "open" | "ports"> | undefined;

  async open(lease: LeaseId, ask: EntryAsk): Promise<Entry> {
    if (this.inside === undefined) throw new EntryRefused("the test runs no processes");
    return this.inside.open(lease, ask);
  }

  async ports(lease: LeaseId): Promise<readonly number[]> {
    return this.inside?.ports(lease) ?? [];
  }

  async *files(lease: LeaseId, folder: JobFolder): AsyncGenerator<FileEntry> {
    for (const [path, text] of Object.entries(this.liveFiles.get(`${lease}/${folder}`) ?? {}))
      yield { path, mode: 0o644, bytes: text.length, changedAt: 0 };
  }

  async readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    const text = this.liveFiles.get(`${lease}/${folder}`)?.[path];
    if (text === undefined) return undefined;
    const content = async function* () {
      yield Buffer.from(text).subarray(start);
    };
    return { mode: 0o644, bytes: text.length, content: content() };
  }

  readiness(): { ready: boolean; why: string } {
    return this.outage === undefined ? { ready: true, why: "" } : { ready: false, why: this.outage };
  }

  hasRoom(): boolean {
    return true;
  }

  #put(input: Input, privates: readonly PrivateWrite[]): Promise<Done | Refusal> {
    if (this.outage !== undefined) return Promise.reject(new Outage(this.outage));
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...requestOf(input, privates), resolve });
      if (!this.#writing) this.#write().catch(reject);
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      const { seq, at, events: lines, answers } = await this.#writer.write(batch);
      const events = eventsIn(lines);
      for (const event of events) {
        for (const listener of this.#listeners) listener.before?.(event, this.state, seq);
        apply(this.state, event);
      }
      if (at > this.state.clock) this.state.clock = at;
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
      if (events.length > 0) for (const listener of this.#listeners) listener.after?.({ seq, at, events }, this.state);
    }
    this.#writing = false;
  }
}
