import { constants } from "node:os";
import { durationText } from "@tessera/core";
import type { StopOrder } from "@tessera/engine";

/**
 * The one way in which a member is stopped, whatever the cause: signal, grace, then a kill of all its processes. Orders
 * may come again and may differ; a later one can only make the end come sooner.
 */
export class Stopping {
  readonly #signal: (signal: NodeJS.Signals) => void;
  readonly #kill: () => void;
  readonly #sent = new Set<NodeJS.Signals>();
  #killAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #killed = false;

  constructor(signal: (signal: NodeJS.Signals) => void, kill: () => void) {
    this.#signal = signal;
    this.#kill = kill;
  }

  /** The first signal that was sent; undefined before the first stop order. */
  get first(): NodeJS.Signals | undefined {
    return this.#sent.values().next().value;
  }

  get begun(): boolean {
    return this.first !== undefined;
  }

  get killed(): boolean {
    return this.#killed;
  }

  order(how: StopOrder): void {
    const signal = signalOf(how.signal);
    const first = !this.#sent.has(signal);
    this.#sent.add(signal);
    if (first) this.#signal(signal);
    // Monotonic: a clock that is set back must not prolong the grace [S27].
    const killAt = performance.now() + Math.max(0, how.graceMs);
    if (killAt >= this.#killAt) return;
    this.#killAt = killAt;
    this.#arm();
  }

  /** Nothing is left to stop. */
  settle(): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const waitMs = Math.ceil(this.#killAt - performance.now());
    this.#timer = setTimeout(
      () => {
        // A long time is reached in steps, and a timer may be a millisecond early.
        if (performance.now() < this.#killAt) return this.#arm();
        this.#killed = true;
        this.#kill();
      },
      Math.min(Math.max(0, waitMs), longestTimerMs),
    );
  }
}

/** Timers hold 31 bits of milliseconds; a later instant is reached in steps. */
export const longestTimerMs = 2 ** 31 - 1;

/** `TERM` or `SIGTERM`; what is no signal here becomes SIGTERM. */
export function signalOf(name: string): NodeJS.Signals {
  const full = name.startsWith("SIG") ? name : `SIG${name}`;
  return full in constants.signals ? (full as NodeJS.Signals) : "SIGTERM";
}

/** The order in words for the log of the job: `SIGTERM, then 30 s of grace`. */
export function stopText({ signal, graceMs }: StopOrder): string {
  return `${signalOf(signal)}, then ${graceMs > 0 ? spanText(graceMs) : "no time"} of grace`;
}

/** `1 min 30 s`. */
export function spanText(ms: number): string {
  return durationText(ms)
    .replace(/[a-z]+/g, (unit) => ` ${unit === "m" ? "min" : unit} `)
    .trim();
}
