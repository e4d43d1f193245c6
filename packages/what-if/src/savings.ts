import { listValueOf, unitsPerGpu } from "@tessera/core";
import type { Rerun } from "./rerun.ts";

/** What sharing gave beside hard quotas. */
export interface Savings {
  /** GPU time that was held and not lost, more than with hard quotas, in unit-milliseconds. */
  readonly unitMs: bigint;
  readonly gpuHours: number;
  /** The same as a part of what the fleet had. */
  readonly ofCapacity: number;
  /** At the list price beyond guarantees; absent where nothing has a price. */
  readonly micros?: bigint;
}

const unitMsPerGpuHour = unitsPerGpu * 3_600_000;

export function savingsOf(shared: Rerun, hard: Rerun): Savings {
  let [unitMs, micros] = [0n, 0n];
  for (const model of new Set([...shared.usefulOf.keys(), ...hard.usefulOf.keys()])) {
    const more = (shared.usefulOf.get(model) ?? 0n) - (hard.usefulOf.get(model) ?? 0n);
    unitMs += more;
    const worth = listValueOf(more < 0n ? -more : more, model, shared.prices);
    micros += more < 0n ? -worth : worth;
  }
  return {
    unitMs,
    gpuHours: Number(unitMs) / unitMsPerGpuHour,
    ofCapacity: shared.capacityGpuMs === 0 ? 0 : Number(unitMs) / unitsPerGpu / shared.capacityGpuMs,
    ...(shared.prices !== undefined && { micros }),
  };
}
