import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type BesideAsk, besideScheduling } from "./beside.ts";
import { aDay, type DayAsk } from "./day.ts";
import { LeasedFleet } from "./leased-fleet.ts";

export type BenchAsk = BesideAsk & { readonly day: DayAsk };

/** What issue 16 asks for, and what the store promises. */
const bars = { slowdownPercentMax: 5, keptMin: 0.99, threadMiBMax: 256 };

/** Samples beside the scheduler, on and off in turn; then a day, and questions about it. */
export async function benchTelemetry(ask: BenchAsk) {
  const dir = mkdtempSync(join(tmpdir(), "bench-telemetry-"));
  const began = performance.now();
  try {
    const fleet = new LeasedFleet(ask.gpus);
    const beside = await besideScheduling(ask, fleet, join(dir, "beside"));
    ask.say(`a day of ${ask.gpus} GPUs`);
    const day = await aDay(ask.day, fleet, join(dir, "day"));
    const missed = [
      ...(beside.slowdownPercent.median > bars.slowdownPercentMax ? ["slowdownPercent.median"] : []),
      ...(beside.slowdownOfAllPercent > bars.slowdownPercentMax ? ["slowdownOfAllPercent"] : []),
      ...(beside.rowsDropped + day.rowsDropped > 0 ? ["rowsDropped"] : []),
      ...(beside.samplesPerSecond.kept < bars.keptMin * ask.samplesPerSecond ? ["samplesPerSecond.kept"] : []),
      ...(Math.max(beside.threadMiBMax, day.threadMiBMax) > bars.threadMiBMax ? ["threadMiBMax"] : []),
    ];
    return {
      ...{ bench: "telemetry", gpus: ask.gpus, cores: cpus().length, bars, beside, day },
      rssMiB: Math.round(process.resourceUsage().maxRSS / 1_024),
      ...{ missed, pass: missed.length === 0, seconds: Math.round((performance.now() - began) / 1_000) },
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
