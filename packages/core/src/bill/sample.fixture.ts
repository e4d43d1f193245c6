import type { Usage } from "../meter/usage.ts";
import { hour, unitsPerGpu } from "../model/units.ts";
import type { Period } from "../money/invoice.ts";
import type { PriceVersion } from "../money/price.ts";
import { PeriodRating, type RatingOptions } from "./period.ts";

/** A price list with round figures: 2 a reserved and 3 a burst hour, nothing else. */
export function pricesOf(change: Partial<PriceVersion> = {}): PriceVersion {
  return {
    id: "p1",
    fromAt: 0,
    currency: "EUR",
    gpus: [{ model: "*", reservedMicros: 2_000_000, burstMicros: 3_000_000 }],
    isolation: {},
    topology: {},
    profile: {},
    cpuMicrosPerCoreHour: 0,
    memoryMicrosPerGiBHour: 0,
    storageMicrosPerGiBHour: 0,
    unbilled: ["starting", "scrub", "reshape"],
    lenderPerMille: 0,
    lostWorkPerMille: 0,
    idle: { policy: "absorb", gpus: [] },
    minimumMicros: 0,
    rounding: "half-up",
    timesOfDay: [],
    ...change,
  };
}

/** A period of so many hours from the epoch. */
export function periodOf(hours: number): Period {
  return { label: "1970-01", fromAt: 0, toAt: hours * hour, zone: "UTC" };
}

let leases = 0;
/** A stretch of `gpus` whole H100s, from one hour to another. */
export function usageOf(account: string, gpus: number, from: number, to: number, change: Partial<Usage> = {}): Usage {
  const lease = change.lease ?? `job_${++leases}-1-0`;
  return {
    lease,
    ...{ state: "running", fromAt: Math.round(from * hour), toAt: Math.round(to * hour), revision: 1 },
    job: lease.slice(0, -4),
    ...{ account, user: "usr_a", node: "n1", gpus: Array.from({ length: gpus }, (_, i) => `GPU-${i}`) },
    ...{ model: "H100", unitsEach: unitsPerGpu, profile: "", isolation: "whole", topology: "", class: "burst" },
    ...{ cpusMilli: 0, memoryMiB: 0 },
    ...change,
  };
}

/** Rates a whole period. */
export function ratingOf(
  metered: Partial<Parameters<PeriodRating["take"]>[0]>,
  options: Partial<RatingOptions> & { readonly period: Period },
): PeriodRating {
  const book = { versions: [pricesOf()], contracts: [] };
  const rating = new PeriodRating({ book, windows: [], ...options });
  rating.take({ usage: [], floors: [], capacity: [], lost: [], ...metered });
  rating.advance(options.period.toAt);
  return rating;
}

/** A floor of whole GPUs from an hour on. */
export function floorOf(account: string, gpus: number, atHour = 0, revision = 1, entry = "H100") {
  return { account, at: atHour * hour, revision, guarantee: { [entry]: gpus * unitsPerGpu } };
}
