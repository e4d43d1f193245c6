import type { Lease, LeaseId, ReadonlyState } from "@tessera/core";
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
import { Outage } from "../control.ts";
import { unionOf } from "./union.ts";

/** The ways into members and to what they left, whichever engine runs them. */
export type EngineDoors = Pick<Engine, "logs" | "open" | "ports" | "files" | "readFile"> & {
  /** What some engine can do. */
  readonly capabilities: Capabilities;
  /** Engines that have not been reached yet since the start. */
  readonly connecting: readonly string[];
};

/** What the doors see of an engine that is driven. */
export interface Driven {
  readonly engine: Engine;
  readonly reach: "connecting" | "reachable" | "unreachable";
}

/** Until there is an engine, only what every kind can do is promised. */
const nothing: Capabilities = { images: false, isolation: ["whole"], workdir: false };

/** Finds the engine of a member by its node; of one that ended, the engines are asked in turn. */
export class Doors implements EngineDoors {
  readonly #driven: () => readonly Driven[];
  readonly #state: () => ReadonlyState;

  constructor(driven: () => readonly Driven[], state: () => ReadonlyState) {
    this.#driven = driven;
    this.#state = state;
  }

  get capabilities(): Capabilities {
    const all = this.#driven().map(({ engine }) => engine.capabilities);
    return all.length === 0 ? nothing : unionOf(all);
  }

  get connecting(): readonly string[] {
    return this.#driven()
      .filter(({ reach }) => reach === "connecting")
      .map(({ engine }) => engine.name);
  }

  /** Where it cannot be read now, one line says so: a log is streamed, and an error in it would look like its end. */
  async *logs(lease: LeaseId, query: LogQuery): AsyncGenerator<LogLine> {
    const live = this.#state().leases.get(lease);
    const away = live === undefined ? this.#away() : [this.#engineOf(live)].filter((name) => !this.#isReachable(name));
    const note = (text: string): LogLine => ({
      at: this.#state().clock,
      rank: live?.rank ?? 0,
      stream: "tessera",
      text,
    });
    if (live !== undefined && away.length > 0)
      return yield note(`engine ${away[0]} cannot be reached now; the job there keeps running`);
    let any = false;
    for await (const line of this.#firstWithAny(lease, (engine) => engine.logs(lease, query))) {
      any = true;
      yield line;
    }
    if (!any && away.length > 0)
      yield note(`nothing here; ${away.join(", ")} may have a log, and cannot be reached now`);
  }

  files(lease: LeaseId, folder: JobFolder): AsyncGenerator<FileEntry> {
    return this.#firstWithAny(lease, (engine) => engine.files(lease, folder));
  }

  async open(lease: LeaseId, ask: EntryAsk): Promise<Entry> {
    return this.#of(lease).open(lease, ask);
  }

  async ports(lease: LeaseId): Promise<readonly number[]> {
    return this.#of(lease).ports(lease);
  }

  async readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    return this.#inTurn(lease, (engine) => engine.readFile(lease, folder, path, start));
  }

  /** The engine of a live member. */
  #of(lease: LeaseId): Engine {
    const [engine, other] = this.#candidates(lease);
    if (engine === undefined || other !== undefined) throw new EntryRefused("it does not run any more");
    return engine;
  }

  #candidates(lease: LeaseId): readonly Engine[] {
    const driven = this.#driven().filter(({ reach }) => reach === "reachable");
    const all = driven.map(({ engine }) => engine);
    const live = this.#state().leases.get(lease);
    if (live === undefined) return all;
    const name = this.#engineOf(live);
    const engine = all.find((each) => each.name === name);
    if (engine === undefined) throw new Outage(`engine ${name} cannot be reached now; the job there keeps running`);
    return [engine];
  }

  #engineOf({ node }: Pick<Lease, "node">): string | undefined {
    return this.#state().fleet.nodes[node]?.facts.engine;
  }

  #isReachable(name: string | undefined): boolean {
    return this.#driven().some(({ engine, reach }) => engine.name === name && reach === "reachable");
  }

  #away(): string[] {
    return this.#driven().flatMap(({ engine, reach }) => (reach === "reachable" ? [] : [engine.name]));
  }

  async *#firstWithAny<Item>(lease: LeaseId, ask: (engine: Engine) => AsyncIterable<Item>): AsyncGenerator<Item> {
    let failure: Error | undefined;
    for (const engine of this.#candidates(lease)) {
      let any = false;
      try {
        for await (const item of ask(engine)) {
          any = true;
          yield item;
        }
      } catch (error) {
        if (any) throw error;
        failure = error as Error; // another engine may have it
      }
      if (any) return;
    }
    if (failure !== undefined) throw failure;
  }

  async #inTurn<Found>(
    lease: LeaseId,
    ask: (engine: Engine) => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    let failure: Error | undefined;
    for (const engine of this.#candidates(lease)) {
      try {
        const found = await ask(engine);
        if (found !== undefined) return found;
      } catch (error) {
        failure = error as Error;
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  }
}
