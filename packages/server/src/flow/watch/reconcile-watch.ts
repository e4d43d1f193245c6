import { hour, type Instant } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import type { TelemetryStore } from "@tessera/telemetry";
import { Activity } from "../activity/activity.ts";
import {
  type BusyUnleased,
  type LeasedAndBusy,
  type Reconciled,
  reconcile,
  unleasedText,
} from "../activity/reconcile.ts";
import type { UnleasedNotes } from "../activity/unleased-notes.ts";
import { UnleasedTime } from "../activity/unleased-time.ts";
import type { Alarms } from "../alarms.ts";
import type { ControlPlane } from "../control.ts";
import type { Leased } from "../meter/leased.ts";
import { Lookout } from "./lookout.ts";

const everyMs = 10_000;
/** Samples of the last seconds of an hour come after it. */
const lateMs = 60_000;
const unitsPerGpu = 21_000n;

interface Ground {
  readonly clock: Clock;
  readonly control: Pick<ControlPlane, "state" | "now">;
  readonly telemetry: Pick<TelemetryStore, "busy" | "latest">;
  readonly alarms: Alarms;
  /** Where the count of work without a lease outlasts a restart. */
  readonly notes: UnleasedNotes;
  /** What the books say was leased in a span, by job. */
  leasedIn(from: Instant, to: Instant): Promise<readonly Leased[]>;
}

/**
 * Compares leased with busy time, once an hour for the hour before. A GPU that works without a lease raises an alarm as
 * soon as it has done so for a minute; the alarm ends with the first whole hour without one.
 */
export class ReconcileWatch extends Lookout {
  readonly #ground: Ground;
  readonly #activity: Activity;
  readonly #unleased = new UnleasedTime();
  readonly #alarmed = new Set<string>();
  /** The end of the last hour that was reconciled. */
  #doneAt: Instant;
  /** The last whole hour. */
  last: Reconciled | undefined;

  constructor(ground: Ground) {
    super(ground.clock, everyMs);
    this.#ground = ground;
    this.#activity = new Activity(ground.control, ground.telemetry);
    this.#doneAt = hourOf(ground.control.now());
  }

  async look(): Promise<Instant> {
    const now = this.#ground.control.now();
    if (this.last === undefined) await this.#begin();
    this.#unleased.look(this.#activity.rows());
    this.#ground.notes.write({ hourAt: this.#doneAt, strays: this.#unleased.strays() });
    const span = { fromAt: this.#doneAt, toAt: now };
    const running = reconcile(span, [], this.#unleased.found());
    if (running.busyNotLeased.some(({ gpu }) => !this.#alarmed.has(gpu))) this.#raise(running);
    if (now >= this.#doneAt + hour + lateMs) await this.#reconcile(hourOf(now - lateMs));
    return now + everyMs;
  }

  /** Reconciles the hour before the start, and goes on with what was counted before a restart in this hour. */
  async #begin(): Promise<void> {
    const known = this.#ground.notes.read();
    if (known?.hourAt === this.#doneAt - hour) this.#unleased.restore(known.strays);
    await this.#reconcile(this.#doneAt);
    if (known?.hourAt === this.#doneAt) this.#unleased.restore(known.strays);
  }

  async #reconcile(toAt: Instant): Promise<void> {
    const fromAt = toAt - hour;
    this.last = reconcile({ fromAt, toAt }, await this.#measured(fromAt, toAt), this.#takeUnleased());
    this.#doneAt = toAt;
    if (this.last.busyNotLeased.length > 0) return;
    this.#alarmed.clear();
    this.#ground.alarms.clear("unleased");
  }

  async #measured(from: Instant, to: Instant): Promise<LeasedAndBusy[]> {
    const [leased, busy] = await Promise.all([
      this.#ground.leasedIn(from, to),
      this.#ground.telemetry.busy({ from, to, by: "job", filter: {} }),
    ]);
    const byJob = new Map(busy.map((row) => [row.key, row]));
    return leased.map(({ job, unitMs }) => ({
      job,
      leasedUnitMs: BigInt(unitMs),
      measuredUnitMs: inUnits(byJob.get(job)?.measuredMs),
      busyUnitMs: inUnits(byJob.get(job)?.busyMs),
    }));
  }

  #takeUnleased(): BusyUnleased[] {
    const found = this.#unleased.found();
    this.#unleased.clear();
    return found;
  }

  #raise(found: Reconciled): void {
    for (const { gpu } of found.busyNotLeased) this.#alarmed.add(gpu);
    this.#ground.alarms.raise({ kind: "unleased", since: found.toAt, text: unleasedText(found) });
  }
}

function hourOf(at: Instant): Instant {
  return at - (at % hour);
}

function inUnits(gpuMs = 0): bigint {
  return BigInt(Math.round(gpuMs)) * unitsPerGpu;
}
