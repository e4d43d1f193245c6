import type { Instant } from "@tessera/core";
import type { TelemetryRow } from "@tessera/telemetry";
import type { BusyUnleased } from "./reconcile.ts";
import { busyWithoutLease } from "./unleased.ts";

/** What is known of one GPU. */
export interface Stray {
  readonly gpu: string;
  readonly node: string;
  busyMs: number;
  lastAt: Instant;
}

/** A GPU that was seen busy twice within this time was busy in between. */
const gapMsMax = 60_000;

/** For how long each GPU has worked without a lease, as looks at the newest samples tell. */
export class UnleasedTime {
  readonly #strays = new Map<string, Stray>();

  look(rows: readonly TelemetryRow[]): void {
    for (const { gpu, instance, node, at, spanMs } of busyWithoutLease(rows)) {
      const key = instance ?? gpu;
      const known = this.#strays.get(key);
      if (known === undefined) {
        this.#strays.set(key, { gpu: key, node, busyMs: Math.min(spanMs, gapMsMax), lastAt: at });
      } else if (at > known.lastAt) {
        const since = at - known.lastAt;
        known.busyMs += since <= gapMsMax ? since : Math.min(spanMs, gapMsMax);
        known.lastAt = at;
      }
    }
  }

  found(): BusyUnleased[] {
    return this.strays().map(({ gpu, node, busyMs }) => ({ gpu, node, busyMs }));
  }

  strays(): Stray[] {
    return [...this.#strays.values()];
  }

  /** Goes on from what was known before. */
  restore(strays: readonly Stray[]): void {
    for (const stray of strays) this.#strays.set(stray.gpu, { ...stray });
  }

  /** Begins again. */
  clear(): void {
    this.#strays.clear();
  }
}
