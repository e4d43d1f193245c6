import { bootId, upMs } from "@tessera/engine";

/** The clocks of the machine. */
export interface MachineTime {
  /** The time of day, which can be set. */
  wall(): number;
  /** Milliseconds since some moment; the same on all threads of the process. Cannot be set, and may stop in its sleep. */
  monotonic(): number;
  /** Which start of the machine this is, and for how long it has been up, sleep included. */
  boot(): { readonly id: string; readonly upMs: number };
}

const id = bootId();

export const machineTime: MachineTime = {
  wall: () => Date.now(),
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1_000 + nanoseconds / 1e6;
  },
  boot: () => ({ id, upMs: upMs() }),
};
