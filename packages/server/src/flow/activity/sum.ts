import { idleBelow } from "@tessera/telemetry";
import type { Holding } from "./holding.ts";

/** What some holdings come to. What was not measured is in no sum but the first. */
export class Sum {
  units = 0;
  measuredUnits = 0;
  /** Units held, each times the share of the time that it was busy. */
  busyUnits = 0;
  /** Units held on GPUs that were measured and did next to nothing. */
  idleUnits = 0;
  memoryUsedMiB: number | undefined;
  memoryMiB = 0;
  powerMilliwatts: number | undefined;
  simulated = false;

  add({ units, memoryMiB, measured }: Pick<Holding, "units" | "memoryMiB" | "measured">): void {
    this.units += units;
    if (measured === undefined) return;
    const { smActive, memoryUsedMiB, powerMilliwatts } = measured.metrics;
    this.simulated ||= measured.simulated;
    if (smActive !== undefined) {
      this.measuredUnits += units;
      this.busyUnits += (units * smActive) / 10_000;
      if (smActive < idleBelow) this.idleUnits += units;
    }
    if (memoryUsedMiB !== undefined) {
      this.memoryUsedMiB = (this.memoryUsedMiB ?? 0) + memoryUsedMiB;
      this.memoryMiB += memoryMiB;
    }
    if (powerMilliwatts !== undefined) this.powerMilliwatts = (this.powerMilliwatts ?? 0) + powerMilliwatts;
  }

  /** In ten-thousandths; undefined where nothing was measured. */
  get activity(): number | undefined {
    return this.measuredUnits === 0 ? undefined : (this.busyUnits / this.measuredUnits) * 10_000;
  }
}
