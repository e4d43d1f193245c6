import { durationText, type Instant } from "@tessera/core";
import type { ClockAlarm } from "./clock/clock-watch.ts";

export const alarmKinds = ["clock", "disk", "audit", "unleased", "break-glass"] as const;

/** Something that is wrong with the machine of the control plane or with the fleet, and that the owner should look at. */
export interface Alarm {
  readonly kind: (typeof alarmKinds)[number];
  readonly since: Instant;
  readonly text: string;
}

/** The alarms of now, one of each kind. */
export class Alarms {
  readonly #open = new Map<Alarm["kind"], Alarm>();
  readonly #listeners: ((alarm: Alarm) => void)[] = [];

  raise(alarm: Alarm): void {
    this.#open.set(alarm.kind, alarm);
    for (const listener of this.#listeners) listener(alarm);
  }

  /** Hears of each alarm, those that are open now too. */
  follow(listener: (alarm: Alarm) => void): void {
    this.#listeners.push(listener);
    for (const alarm of this.#open.values()) listener(alarm);
  }

  clear(kind: Alarm["kind"]): void {
    this.#open.delete(kind);
  }

  list(): Alarm[] {
    return [...this.#open.values()].sort((a, b) => a.since - b.since);
  }
}

/** What a clock that was set means, and what to do. */
export function clockText({ offMs }: ClockAlarm): string {
  const off = durationText(Math.max(1_000, Math.round(Math.abs(offMs) / 1_000) * 1_000));
  return (
    `The clock of this machine is ${off} ${offMs > 0 ? "ahead of" : "behind"} the server's time: it was set. Usage and ` +
    "expiry go on by time that has passed. Set the clock right; if the server's time is wrong, restart the machine."
  );
}

export const diskText =
  "The disk of the control plane is nearly full: new work is refused, running jobs, cancels and metering go on. Free some space.";
