import type { Instant } from "@tessera/core";
import type { ClockFile } from "./clock-file.ts";
import type { MachineTime } from "./machine-time.ts";
import type { SteadyClock } from "./steady-clock.ts";

/** The machine's clock differs from the server's time by this much, since then. */
export interface ClockAlarm {
  readonly since: Instant;
  /** Positive where the machine's clock is ahead. */
  readonly offMs: number;
}

/** Where they differ by more, the clock was set; less is drift, and followed. */
const jumpMs = 2_000;
const everyMs = 2_000;
/** Drift is followed by a millisecond in 2 seconds, as fast as NTP corrects a clock without setting it. */
const followMs = 1;
/** What was followed is noted every few minutes: a start after a crash begins that little before or after. */
const noteEvery = 300;
/** Less may be how coarsely it is told for how long the machine has been up. */
const sleepMsMin = 1_000;

export interface ClockWatchPorts {
  readonly clock: SteadyClock;
  readonly machine: MachineTime;
  readonly file: ClockFile;
  /** The clock was set, or is right again. */
  readonly onChange: (alarm: ClockAlarm | undefined) => void;
}

/** Compares the machine's clock with the server's time, again and again: follows drift, and tells of jumps. */
export class ClockWatch {
  readonly #ports: ClockWatchPorts;
  readonly #sleptBefore: number;
  #slept = 0;
  #alarm: ClockAlarm | undefined;
  #timer: NodeJS.Timeout | undefined;
  #jumps = 0;
  #looks = 0;

  constructor(ports: ClockWatchPorts) {
    this.#ports = ports;
    this.#sleptBefore = this.#asleep();
  }

  get alarm(): ClockAlarm | undefined {
    return this.#alarm;
  }

  /** How often the clock was set since the start. */
  get jumps(): number {
    return this.#jumps;
  }

  start(): void {
    this.look();
    this.#note();
    this.#timer = setInterval(() => this.look(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#note();
  }

  look(): void {
    const { clock, machine } = this.#ports;
    this.#countSleep();
    if (++this.#looks % noteEvery === 0) this.#note();
    const offMs = machine.wall() - clock.now();
    if (Math.abs(offMs) <= jumpMs) {
      if (Math.abs(offMs) >= followMs) clock.shift(Math.sign(offMs) * followMs);
      if (this.#alarm !== undefined) this.#tell(undefined);
    } else if (this.#alarm === undefined || Math.abs(offMs - this.#alarm.offMs) > jumpMs) {
      this.#jumps++;
      this.#tell({ since: clock.now(), offMs: Math.round(offMs) });
    }
  }

  /** The monotonic clock stands still while the machine sleeps; time does not. */
  #countSleep(): void {
    const slept = this.#asleep() - this.#sleptBefore;
    if (slept - this.#slept < sleepMsMin) return;
    this.#ports.clock.slept(slept - this.#slept);
    this.#slept = slept;
  }

  #asleep(): number {
    const { machine } = this.#ports;
    return machine.boot().upMs - machine.monotonic();
  }

  #tell(alarm: ClockAlarm | undefined): void {
    this.#alarm = alarm;
    this.#note();
    this.#ports.onChange(alarm);
  }

  #note(): void {
    this.#ports.file.write(this.#ports.clock.boots());
  }
}
