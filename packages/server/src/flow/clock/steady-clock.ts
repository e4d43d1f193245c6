import type { Instant } from "@tessera/core";
import { type Clock, timerAt } from "@tessera/engine";
import { type MachineTime, machineTime } from "./machine-time.ts";

/** Instants of one start of the machine: how long it had been up, plus this. */
export interface Boot {
  readonly id: string;
  readonly plusMs: number;
}

/**
 * The server's time: it advances as the machine's monotonic clock does, from an instant that was settled once. Setting
 * the machine's clock does not move it. All threads share what is to be added to the monotonic clock.
 */
export class SteadyClock implements Clock {
  readonly #machine: MachineTime;
  /** What is to be added to the monotonic clock, and to how long the machine has been up. */
  readonly #plus: BigInt64Array<SharedArrayBuffer>;
  readonly #bootsBefore: readonly Boot[];
  #last = 0;

  /** `shared` comes from the clock of another thread. */
  constructor(shared: SharedArrayBuffer, machine: MachineTime = machineTime, bootsBefore: readonly Boot[] = []) {
    this.#machine = machine;
    this.#plus = new BigInt64Array(shared);
    this.#bootsBefore = bootsBefore;
  }

  /**
   * Starts where the same start of the machine was left, by how long it has been up since; else, after a restart of the
   * machine, by its clock.
   */
  static start(boots: readonly Boot[], machine: MachineTime = machineTime): SteadyClock {
    const { id, upMs } = machine.boot();
    const known = boots.find((boot) => boot.id === id);
    const now = known === undefined ? machine.wall() : upMs + known.plusMs;
    const clock = new SteadyClock(
      new SharedArrayBuffer(16),
      machine,
      boots.filter((boot) => boot.id !== id),
    );
    clock.#add(0, now - machine.monotonic());
    clock.#add(1, now - upMs);
    return clock;
  }

  get shared(): SharedArrayBuffer {
    return this.#plus.buffer;
  }

  now(): Instant {
    const at = Math.floor(this.#machine.monotonic()) + Number(Atomics.load(this.#plus, 0));
    this.#last = Math.max(this.#last, at);
    return this.#last;
  }

  at(instant: Instant, act: () => void): () => void {
    return timerAt(() => this.now(), instant, act);
  }

  whenUp(bootId: string, upMs: number): Instant | undefined {
    const boot = this.boots().find(({ id }) => id === bootId);
    return boot && upMs + boot.plusMs;
  }

  /** This start of the machine and some before it, newest first: what a later start of the server goes on from. */
  boots(): readonly Boot[] {
    const { id } = this.#machine.boot();
    return [{ id, plusMs: Number(Atomics.load(this.#plus, 1)) }, ...this.#bootsBefore].slice(0, bootsMax);
  }

  /** Time that was committed has come: where the clock stands before it, it goes on from there. */
  notBefore(instant: Instant): void {
    const behind = instant - this.now();
    if (behind > 0) this.shift(behind);
  }

  /** Moves it by so many milliseconds; back only while it stays slower than time itself. */
  shift(ms: number): void {
    this.#add(0, ms);
    this.#add(1, ms);
  }

  /** The monotonic clock stood still for so long, while the machine slept. */
  slept(ms: number): void {
    this.#add(0, ms);
  }

  #add(which: 0 | 1, ms: number): void {
    Atomics.add(this.#plus, which, BigInt(Math.round(ms)));
  }
}

const bootsMax = 4;
