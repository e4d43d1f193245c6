import { setTimeout as sleep } from "node:timers/promises";
import type { EngineState, Event, Instant, JobId } from "@tessera/core";
import type { Capabilities, Engine } from "@tessera/engine";
import { MasterAway } from "../../access/ring/master.ts";
import type { Vault } from "../../access/vault.ts";
import type { ControlPlane } from "../control.ts";
import { Attached, type AttachedParts } from "./attached.ts";
import { openCredentials } from "./credentials.ts";
import { Doors, type EngineDoors } from "./doors.ts";
import type { AddedKind, AddedKinds, GivenEngine } from "./kinds.ts";
import { type Patience, usualPatience } from "./patience.ts";
import { bySystem, ensureGiven, forget, turnOff } from "./start.ts";

type DriverParts = Omit<AttachedParts, "engine" | "control" | "patience" | "beside" | "labels" | "warn">;

export interface EnginesParts {
  readonly kinds: AddedKinds;
  readonly given: readonly GivenEngine[];
  readonly patience?: Patience;
  readonly warn: (text: string) => void;
}

/** What is there only once the control plane runs. */
export interface BeginParts {
  readonly control: ControlPlane;
  readonly vault: Pick<Vault, "seal" | "openToken">;
  /** What the driver of an engine needs beside the control plane. */
  readonly driver: (engine: Engine) => DriverParts;
}

/** An engine as this server has it now; what the owner said of it is in the state. */
export interface EngineStatus {
  readonly reach: "connecting" | "reachable" | "unreachable";
  readonly reachedAt?: Instant;
  readonly error?: string;
  readonly version?: string;
  readonly capabilities?: Capabilities;
  readonly credentials: "none" | "kept" | "missing" | "start-file";
  readonly fromStart: boolean;
}

const settleMsMax = 5_000;
/** How long after the master key was found away it is asked for again. */
const masterAgainMs = 10_000;

interface Driven {
  readonly attached: Attached;
  readonly unfollow: () => void;
}

/** The engines that this server drives, any number at once. */
export class Engines {
  readonly doors: EngineDoors;
  readonly #parts: EnginesParts;
  readonly #driven = new Map<string, Driven>();
  /** Why engines that the journal knows are not driven. */
  readonly #unopened = new Map<string, string>();
  #begun: BeginParts | undefined;
  /** Engines that are being closed because they are gone. */
  readonly #going = new Set<Promise<void>>();

  constructor(parts: EnginesParts) {
    this.#parts = parts;
    this.doors = new Doors(
      () => [...this.#driven.values()].map(({ attached }) => attached),
      () => this.begun.control.state,
    );
  }

  /** Throws before `begin`. */
  get begun(): BeginParts {
    if (this.#begun === undefined) throw new Error("the engines have not begun");
    return this.#begun;
  }

  /** How engines of a kind are added; the local engine is not. */
  kindOf(kind: EngineState["terms"]["kind"]): AddedKind | undefined {
    return kind === "local" ? undefined : this.#parts.kinds[kind];
  }

  /**
   * Opens what was given and what the journal knows. Waits until the engines of this machine are adopted, and for no other:
   * a cluster that is away must not keep the server from starting.
   */
  async begin(parts: BeginParts): Promise<void> {
    this.#begun = parts;
    const { state } = parts.control;
    const { given, warn } = this.#parts;
    parts.control.follow({ after: ({ events }) => this.#noteGone(events) });
    await ensureGiven(parts.control, given, warn);
    for (const each of given) this.#drive(await each.open());
    for (const engine of [...state.engines.values()]) if (!this.isGiven(engine.name)) await this.#reopen(engine);
    await turnOff(parts.control, (name) => this.isGiven(name) || state.engines.has(name));
    await forget(parts.control, (name) => !state.engines.has(name)).catch(({ message }) => warn(message));
    for (const { name, here } of given) if (here) await this.#driven.get(name)?.attached.first;
  }

  isGiven(name: string): boolean {
    return this.given(name) !== undefined;
  }

  given(name: string): GivenEngine | undefined {
    return this.#parts.given.find((each) => each.name === name);
  }

  /** Drives an engine that the journal knows, with these credentials. */
  open(name: string, credentials: string | undefined): void {
    const { kind, settings } = this.begun.control.state.engines.get(name)!.terms;
    const ask = { name, settings, ...(credentials !== undefined && { credentials }) };
    this.#unopened.delete(name);
    this.#drive(this.kindOf(kind)!.open(ask));
  }

  /** Waits until a new engine is adopted, but not for long: one that is slow or fails says so itself. */
  async settle(name: string): Promise<void> {
    const first = this.#driven.get(name)?.attached.first.catch(() => {});
    await Promise.race([first, sleep(settleMsMax, undefined, { ref: false })]);
  }

  /** Lets go of an engine. What runs there keeps running. */
  async letGo(name: string): Promise<void> {
    const driven = this.#driven.get(name);
    this.#unopened.delete(name);
    if (driven === undefined) return;
    this.#driven.delete(name);
    driven.unfollow();
    await driven.attached.close().catch(({ message }) => this.#parts.warn(`engine ${name}: ${message}`));
    this.#numberChanged();
  }

  statusOf({ name, terms, away }: EngineState): EngineStatus {
    const attached = this.#driven.get(name)?.attached;
    const fromStart = this.isGiven(name);
    const kept = attached === undefined ? "missing" : fromStart ? "start-file" : "kept";
    const error = attached === undefined ? this.#unopened.get(name) : (attached.error ?? away?.reason);
    return {
      reach: attached?.reach ?? "unreachable",
      ...(error !== undefined && { error }),
      ...(attached?.reachedAt !== undefined && { reachedAt: attached.reachedAt }),
      ...(attached?.version !== undefined && { version: attached.version }),
      ...(attached !== undefined && { capabilities: attached.engine.capabilities }),
      credentials: this.kindOf(terms.kind)?.sealed ? kept : "none",
      fromStart,
    };
  }

  /** The engines that can be reached now. */
  *reachable(): Generator<Engine> {
    for (const { attached } of this.#driven.values()) if (attached.reach === "reachable") yield attached.engine;
  }

  /** Removes what engines keep for jobs that are over. */
  async sweep(isLive: (job: JobId) => boolean): Promise<void> {
    for (const { attached } of [...this.#driven.values()])
      if (attached.reach === "reachable")
        await attached.engine.sweep(isLive).catch(({ message }) => this.#parts.warn(message));
  }

  /** What does not hold on these engines, one sentence each. */
  *gaps(): Generator<string> {
    for (const { attached } of this.#driven.values()) {
      const { oneTenant, gaps = [] } = attached.engine.capabilities;
      if (oneTenant !== undefined) yield `one tenant only: ${oneTenant.why}; ${oneTenant.hint}`;
      yield* gaps;
    }
  }

  /** From now on no engine is told anything. */
  stop(): void {
    for (const { attached } of this.#driven.values()) attached.stop();
  }

  /** Lets go of all engines; what runs keeps running. */
  async close(): Promise<void> {
    await Promise.all([...this.#driven.keys()].map((name) => this.letGo(name)));
    await Promise.all(this.#going);
  }

  #drive(engine: Engine): void {
    const { control, driver } = this.begun;
    const { patience = usualPatience, warn } = this.#parts;
    const beside = () => control.state.engines.size > 1;
    const labels = this.#parts.given.find(({ name }) => name === engine.name)?.labels;
    const attached = new Attached({ ...driver(engine), engine, control, patience, beside, labels, warn });
    this.#driven.set(engine.name, { attached, unfollow: control.follow(attached) });
    attached.start();
    this.#numberChanged();
  }

  /** With the second engine nodes begin to say what they offer; with the last but one they cease to. */
  #numberChanged(): void {
    for (const { attached } of this.#driven.values()) attached.refreshSoon();
  }

  /** An engine of the journal that was added while an earlier server ran. */
  async #reopen({ name, terms }: EngineState): Promise<void> {
    const { control, vault } = this.begun;
    const kind = this.kindOf(terms.kind);
    if (kind === undefined || kind.check(terms.settings) !== undefined)
      return turnOff(control, (each) => each !== name);
    const isAway = async (why: string) => {
      this.#unopened.set(name, why);
      await control.ask({ kind: "engine.reach", name, away: why }, bySystem);
    };
    try {
      const credentials = kind.sealed ? await openCredentials(vault, control.reader, control.state, name) : undefined;
      if (!kind.sealed || credentials !== undefined) return this.open(name, credentials);
      await isAway(`its credentials are missing: give them again with tess engine edit ${name} --kubeconfig FILE`);
    } catch (error) {
      if (!(error instanceof MasterAway)) throw error;
      await isAway(`its credentials cannot be opened now: ${error.message}`);
      setTimeout(() => void this.#reopenLater(name), masterAgainMs).unref();
    }
  }

  /** The master key may be back; an engine that was changed or removed meanwhile is left alone. */
  async #reopenLater(name: string): Promise<void> {
    const engine = this.begun.control.state.engines.get(name);
    if (engine === undefined || !this.#unopened.has(name)) return;
    await this.#reopen(engine).catch(({ message }) => this.#parts.warn(`engine ${name}: ${message}`));
  }

  #noteGone(events: readonly Event[]): void {
    for (const event of events) {
      if (event.kind !== "engine-changed" || event.terms !== undefined) continue;
      const going = this.letGo(event.engine)
        .then(() => forget(this.begun.control, (name) => name === event.engine))
        .then(() => turnOff(this.begun.control, (name) => name !== event.engine))
        .catch(({ message }) => this.#parts.warn(message))
        .finally(() => this.#going.delete(going));
      this.#going.add(going);
    }
  }
}
