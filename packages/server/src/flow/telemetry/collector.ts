import type { ReadonlyState } from "@tessera/core";
import type { Engine } from "@tessera/engine";
import type { TelemetryStore } from "@tessera/telemetry";
import { within } from "../engines/patience.ts";
import { join } from "./join.ts";
import { Spans } from "./spans.ts";

export interface CollectorParts {
  readonly engines: () => Iterable<Engine>;
  readonly state: ReadonlyState;
  readonly now: () => number;
  readonly store: Pick<TelemetryStore, "write">;
  readonly everyMs: number;
  readonly warn: (text: string) => void;
}

export interface CollectorCounts {
  /** Answers of engines that came, and those that failed or took too long. */
  readonly answered: number;
  readonly failed: number;
  /** Samples and values that cannot be. */
  readonly dropped: number;
}

/** Of an answer, in intervals. */
const patience = 3;

/** Asks engines what their GPUs do, and has it kept. An engine that hangs or fails has no samples, and holds up no other. */
export class Collector {
  readonly #parts: CollectorParts;
  /** By engine. */
  readonly #spans = new Map<string, Spans>();
  readonly #asked = new Set<string>();
  /** Engines whose last question failed: that is said once. */
  readonly #failing = new Set<string>();
  readonly #counts = { answered: 0, failed: 0, dropped: 0 };
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  get counts(): CollectorCounts {
    return { ...this.#counts };
  }

  start(): void {
    this.#timer = setInterval(() => void this.collect(), this.#parts.everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Asks each engine that does not still owe an answer. */
  async collect(): Promise<void> {
    const engines = [...this.#parts.engines()].filter(
      ({ name, telemetry }) => telemetry !== undefined && !this.#asked.has(name),
    );
    await Promise.all(engines.map((engine) => this.#ask(engine)));
  }

  async #ask(engine: Engine): Promise<void> {
    const { state, now, store, everyMs, warn } = this.#parts;
    const { name } = engine;
    this.#asked.add(name);
    try {
      const answer = Promise.resolve(engine.telemetry?.());
      // An engine that hangs is asked again only after it has answered, however late.
      void answer.catch(() => {}).finally(() => this.#asked.delete(name));
      const telemetry = await within(patience * everyMs, answer);
      if (telemetry === undefined) return;
      const spans = this.#spans.get(name) ?? new Spans(everyMs);
      this.#spans.set(name, spans);
      const { rows, members, dropped } = await join({ state, engine: name, now: now(), spans }, telemetry);
      spans.forgetOld(now());
      store.write(rows, members);
      this.#counts.answered++;
      this.#counts.dropped += dropped;
      this.#failing.delete(name);
    } catch (error) {
      this.#counts.failed++;
      if (!this.#failing.has(name)) warn(`engine ${name} gives no telemetry: ${(error as Error).message}`);
      this.#failing.add(name);
    }
  }
}
