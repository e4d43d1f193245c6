import {
  type Event,
  type HealthFinding,
  type Instant,
  isRefusal,
  type NodeFacts,
  type ReadonlyState,
} from "@tessera/core";
import { type Engine, EngineFenced } from "@tessera/engine";
import { Driver, type DriverPorts } from "../bind/drive.ts";
import type { CommitListener } from "../commits.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { registerNodes } from "./inventory.ts";
import { NodeMarks } from "./marks.ts";
import { type Patience, Pause, within } from "./patience.ts";

export interface AttachedParts extends Omit<DriverPorts, "state" | "reached" | "onFailed"> {
  readonly control: Pick<ControlPlane, "state" | "ask" | "now">;
  readonly patience: Patience;
  /** Whether there are other engines: then each node says what it offers. */
  readonly beside: () => boolean;
  /** Takes what the engine finds of its nodes; absent = nothing comes of it. */
  readonly onFinding?: (finding: HealthFinding) => void;
  /** Of all its nodes. */
  readonly labels: NodeFacts["labels"];
}

/** What everyone may read. What exactly went wrong may tell of addresses: that is for the owner. */
const noConnection = "no connection";
const by: Asker = { actor: { user: "system" }, request: "engine" };

/**
 * One engine that is driven: it is connected to, what it holds is adopted, its nodes are kept up to date, and the journal
 * learns when it cannot be reached. While it is out of reach its calls wait; everything else goes on.
 */
export class Attached implements CommitListener {
  readonly engine: Engine;
  readonly driver: Driver;
  readonly #parts: AttachedParts;
  readonly #marks: NodeMarks;
  readonly #pause = new Pause();
  #reach: "connecting" | "reachable" | "unreachable" = "connecting";
  #reachedAt: Instant | undefined;
  #version: string | undefined;
  #error: string | undefined;
  #tookOver = false;
  #failures = 0;
  #failingSince = 0;
  /** Since when the inventory is what it was asked for last. */
  #inventoryAt = Number.NEGATIVE_INFINITY;
  #news: NodeJS.Timeout | undefined;
  #closed = false;
  /** Calls that wait until the engine can be reached. */
  #waiting: (() => void)[] = [];
  readonly #first: { readonly done: Promise<void>; readonly settle: (error?: Error) => void };
  #running: Promise<void> | undefined;

  constructor(parts: AttachedParts) {
    this.engine = parts.engine;
    this.#parts = parts;
    const { control, patience: _, beside: __, labels: ___, ...ports } = parts;
    this.driver = new Driver({
      ...ports,
      state: control.state,
      reached: () => this.#reached(),
      onFailed: () => this.#pause.end(),
    });
    this.#marks = new NodeMarks(parts.engine, control.state);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {}); // not every caller waits for it
    this.#first = { done: promise, settle: (error) => (error === undefined ? resolve() : reject(error)) };
  }

  get reach() {
    return this.#reach;
  }

  /** Since when it can be reached; undefined while it cannot. */
  get reachedAt(): Instant | undefined {
    return this.#reach === "reachable" ? this.#reachedAt : undefined;
  }

  get version(): string | undefined {
    return this.#version;
  }

  get error(): string | undefined {
    return this.#error;
  }

  /** Resolves when it has been adopted for the first time; rejects when the first attempt failed. */
  get first(): Promise<void> {
    return this.#first.done;
  }

  start(): void {
    const { onFinding } = this.#parts;
    if (onFinding !== undefined) this.engine.onHealth?.(onFinding);
    this.engine.onInventory?.(() => this.refreshSoon());
    this.#running = this.#run();
  }

  before(event: Event, state: ReadonlyState): void {
    this.driver.before(event, state);
  }

  after(batch: { readonly events: readonly Event[] }, state: ReadonlyState): void {
    this.driver.after(batch, state);
    for (const event of batch.events) {
      if (event.kind !== "node-changed") continue;
      if (this.#marks.note(event.node)) this.#pause.end();
    }
  }

  /** Asks for the inventory again, soon: several reasons in a row are one. */
  refreshSoon(): void {
    this.#inventoryAt = Number.NEGATIVE_INFINITY;
    this.#news ??= setTimeout(() => {
      this.#news = undefined;
      this.#pause.end();
    }, this.#parts.patience.newsMs);
  }

  /** From now on the engine is told nothing. */
  stop(): void {
    this.#closed = true;
    clearTimeout(this.#news);
    this.driver.close();
    this.#pause.close();
    this.#letGo();
  }

  /** Members keep running. */
  async close(): Promise<void> {
    this.stop();
    await this.#running;
    await this.engine.close();
  }

  #reached(): Promise<void> {
    if (this.#reach === "reachable" || this.#closed) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #letGo(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      let waitMs: number;
      try {
        await (this.#reach === "reachable" ? this.#look() : this.#connect());
        this.#failures = 0;
        this.#error = undefined;
        const { inventoryMs, probeMs } = this.#parts.patience;
        waitMs = this.engine.about === undefined ? inventoryMs : probeMs;
        this.#first.settle();
      } catch (error) {
        if (this.#closed) return;
        if (error instanceof EngineFenced) return this.#parts.onFenced(error);
        await this.#failed(error as Error);
        this.#first.settle(error as Error);
        const { retryMsFirst, retryMsMax } = this.#parts.patience;
        waitMs = Math.min(retryMsFirst * 2 ** (this.#failures - 1), retryMsMax);
      }
      await this.#pause.for(waitMs);
    }
  }

  /** At the start and after a time out of reach: nothing is called before what it holds has been compared. */
  async #connect(): Promise<void> {
    const { control, patience, warn } = this.#parts;
    const { engine } = this;
    await this.#ask();
    if (!this.#tookOver && engine.takeOver !== undefined) {
      await within(patience.answerMsMax, engine.takeOver(control.state.epoch));
      this.#tookOver = true;
    }
    await this.#refresh();
    await this.driver.adopt();
    this.#marks.noteAll();
    await this.#marks.flush();
    if (control.state.engines.get(engine.name)?.away !== undefined) {
      await this.#tellReach();
      warn(`engine ${engine.name} can be reached again`);
    }
    this.#reach = "reachable";
    this.#reachedAt = control.now();
    this.#letGo();
  }

  async #look(): Promise<void> {
    await this.#ask();
    await this.#marks.flush();
    if (performance.now() - this.#inventoryAt >= this.#parts.patience.inventoryMs) await this.#refresh();
  }

  async #ask(): Promise<void> {
    if (this.engine.about === undefined) return;
    this.#version = await within(this.#parts.patience.probeAnswerMsMax, this.engine.about());
  }

  async #refresh(): Promise<void> {
    const { control, beside, labels, warn, patience } = this.#parts;
    const at = performance.now();
    const found = await within(patience.answerMsMax, this.engine.inventory());
    const nodes =
      labels === undefined ? found : found.map((facts) => ({ ...facts, labels: { ...labels, ...facts.labels } }));
    await registerNodes(control, this.engine, nodes, beside(), warn);
    this.#inventoryAt = at;
  }

  async #failed(error: Error): Promise<void> {
    const { control, patience, warn } = this.#parts;
    const { name } = this.engine;
    this.#error = error.message;
    const now = performance.now();
    if (this.#failures++ === 0) this.#failingSince = now;
    const patient = this.#failures < patience.failuresMax && now - this.#failingSince < patience.failingMsMax;
    if (this.#reach === "reachable" && patient) return;
    this.#reach = "unreachable";
    if (control.state.engines.get(name)?.away !== undefined) return;
    warn(`engine ${name} cannot be reached: ${error.message}; what runs there keeps running, and it is tried again`);
    await this.#tellReach(noConnection);
  }

  async #tellReach(away?: string): Promise<void> {
    const { control, warn } = this.#parts;
    const { name } = this.engine;
    try {
      const done = await control.ask({ kind: "engine.reach", name, ...(away !== undefined && { away }) }, by);
      if (isRefusal(done)) warn(`engine ${name}: ${done.detail}`);
    } catch (error) {
      warn(`engine ${name}: ${(error as Error).message}`); // the writer has stopped
    }
  }
}
