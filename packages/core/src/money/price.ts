import { modelMatches } from "../model/gpu-name.ts";
import type { Instant } from "../model/units.ts";
import type { UsageState } from "../model/usage.ts";
import { fallbackCurrency, type Rounding } from "./amount.ts";

/** Price of one GPU of a model for an hour, in micros. */
export interface GpuRate {
  /** A model, a family (`H100` matches `H100-80GB`) or `*`; the longest match counts. */
  readonly model: string;
  /** For a guaranteed GPU, used or not. */
  readonly reservedMicros: number;
  /** For a GPU used beyond the guarantee. */
  readonly burstMicros: number;
}

/** A multiplier in thousandths: 1000 changes nothing. */
export type PerMille = number;

/** The cost of capacity that is neither reserved nor used: the owner bears it, or tenants share it. */
export type IdlePolicy = "absorb" | "by-quota" | "by-use";

/** A price list; it applies from `fromAt` until the next one begins. */
export interface PriceVersion {
  readonly id: string;
  readonly fromAt: Instant;
  readonly currency: string;
  /** The zone in which months begin and end; only the shell reads it. Absent = UTC. */
  readonly zone?: string;
  readonly gpus: readonly GpuRate[];
  /** Multipliers for use beyond the guarantee; 1 for what is not named. */
  readonly isolation: { readonly [isolation: string]: PerMille };
  readonly topology: { readonly [level: string]: PerMille };
  readonly profile: { readonly [profile: string]: PerMille };
  readonly cpuMicrosPerCoreHour: number;
  readonly memoryMicrosPerGiBHour: number;
  readonly storageMicrosPerGiBHour: number;
  /** Usage states that cost nothing. */
  readonly unbilled: readonly UsageState[];
  /** The fraction of the price of lent GPUs that the lender is credited with. */
  readonly lenderPerMille: PerMille;
  /** The fraction of the price of lost work that is credited. */
  readonly lostWorkPerMille: PerMille;
  readonly idle: {
    readonly policy: IdlePolicy;
    readonly gpus: readonly { readonly model: string; readonly micros: number }[];
  };
  /** The minimum total of an invoice that has any charge. */
  readonly minimumMicros: number;
  readonly rounding: Rounding;
  /** Local times of day with other prices. The shell turns them into windows; the core knows no time zones. */
  readonly timesOfDay: readonly TimeOfDay[];
}

/** `days` are 1 (Monday) to 7. Minutes count from local midnight; `toMinute` below `fromMinute` is on the next day. */
export interface TimeOfDay {
  readonly zone: string;
  readonly days: readonly number[];
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly perMille: PerMille;
}

/** A span in which the price of use beyond the guarantee is multiplied. Windows do not overlap. */
export interface PriceWindow {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly perMille: PerMille;
}

/** All windows of a span of time. */
export interface PricesAhead {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly windows: readonly PriceWindow[];
}

/** Prices that were agreed with one tenant. */
export interface Contract {
  readonly tenant: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** Replace the list's rates where they match the model at least as closely. */
  readonly gpus: readonly GpuRate[];
  /** Multiplies every price of the list. */
  readonly perMille: PerMille;
}

/** All price lists, oldest first, and all contracts. */
export interface PriceBook {
  readonly versions: readonly PriceVersion[];
  readonly contracts: readonly Contract[];
}

/** The price list that applies at an instant. */
export function versionAt(book: PriceBook, at: Instant): PriceVersion | undefined {
  let found: PriceVersion | undefined;
  for (const version of book.versions) if (version.fromAt <= at) found = version;
  return found;
}

/** The entry for a model: the longest matching name, `*` last. */
export function rateFor<Entry extends { readonly model: string }>(
  entries: readonly Entry[],
  model: string,
): Entry | undefined {
  let best: Entry | undefined;
  for (const entry of entries) {
    if (entry.model !== "*" && !modelMatches(entry.model, model)) continue;
    if (best === undefined || best.model === "*" || (entry.model !== "*" && entry.model.length > best.model.length))
      best = entry;
  }
  return best;
}

/** The currency of the last price list. */
export function currencyOf(versions: readonly Pick<PriceVersion, "currency">[]): string {
  return versions.at(-1)?.currency ?? fallbackCurrency;
}
