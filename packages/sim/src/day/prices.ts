import type { Instant, PriceVersion } from "@tessera/core";

/** What a GPU of the day costs: less where it is reserved. */
export function pricesFrom(fromAt: Instant): PriceVersion {
  return {
    id: "day",
    fromAt,
    currency: "EUR",
    gpus: [{ model: "*", reservedMicros: 1_400_000, burstMicros: 2_200_000 }],
    isolation: {},
    topology: {},
    profile: {},
    cpuMicrosPerCoreHour: 0,
    memoryMicrosPerGiBHour: 0,
    storageMicrosPerGiBHour: 0,
    unbilled: ["starting", "scrub", "reshape"],
    lenderPerMille: 100,
    lostWorkPerMille: 1_000,
    idle: { policy: "absorb", gpus: [] },
    minimumMicros: 0,
    rounding: "half-up",
    timesOfDay: [],
  };
}
