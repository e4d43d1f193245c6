import type { UsageState } from "../meter/usage.ts";
import type { Instant } from "../model/units.ts";
import { modelMatches } from "../submit/gpus.ts";
import { fallbackCurrency, type Micros, type Rounding } from "./money.ts";

/** What one GPU of a model costs for an hour, in micros. */
export interface GpuRate {
  /** A model, a family (`H100` is `H100-80GB` too) or `*`; the longest that fits counts. */
  readonly model: string;
  /** Promised, used or not. */
  readonly reservedMicros: number;
  /** Used beyond the promise. */
  readonly burstMicros: number;
}

/** Thousandths by which a price is multiplied: 1000 changes nothing. */
export type PerMille = number;

/** What becomes of capacity that nobody reserved or used: the owner bears it, or tenants share it. */
export type IdlePolicy = "absorb" | "by-quota" | "by-use";

/** A price list; it holds from `fromAt` until the next one begins. */
export interface PriceVersion {
  readonly id: string;
  readonly fromAt: Instant;
  readonly currency: string;
  /** The zone in which months begin and end; only the shell reads it. Absent = UTC. */
  readonly zone?: string;
  readonly gpus: readonly GpuRate[];
  /** On what is used beyond the promise; what is not named costs as it is. */
  readonly isolation: { readonly [isolation: string]: PerMille };
  readonly topology: { readonly [level: string]: PerMille };
  readonly profile: { readonly [profile: string]: PerMille };
  readonly cpuMicrosPerCoreHour: number;
  readonly memoryMicrosPerGiBHour: number;
  readonly storageMicrosPerGiBHour: number;
  /** States that cost nothing. */
  readonly unbilled: readonly UsageState[];
  /** Of what a borrower pays for lent GPUs, the part that the lender is credited with. */
  readonly lenderPerMille: PerMille;
  /** Of the price of work that an eviction or a lost node destroyed, the part that is credited. */
  readonly lostWorkPerMille: PerMille;
  readonly idle: {
    readonly policy: IdlePolicy;
    readonly gpus: readonly { readonly model: string; readonly micros: number }[];
  };
  /** The least that an invoice with any charge comes to. */
  readonly minimumMicros: number;
  readonly rounding: Rounding;
  /** Local times of day at other prices; the shell makes windows of them, the core never sees a zone. */
  readonly timesOfDay: readonly TimeOfDay[];
}

/** `days` 1 (Monday) to 7; `from` and `to` are minutes after local midnight, `to` below `from` runs into the next day. */
export interface TimeOfDay {
  readonly zone: string;
  readonly days: readonly number[];
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly perMille: PerMille;
}

/** A stretch in which what is used beyond the promise costs another part of its price. Windows do not overlap. */
export interface PriceWindow {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly perMille: PerMille;
}

/** The windows of a stretch of time, all of them. */
export interface PricesAhead {
  readonly fromAt: Instant;
  readonly toAt: Instant;
  readonly windows: readonly PriceWindow[];
}

/** What was agreed with one tenant, instead of the list. */
export interface Contract {
  readonly tenant: string;
  readonly fromAt: Instant;
  readonly toAt: Instant;
  /** Instead of those of the list where the same name or a longer one fits. */
  readonly gpus: readonly GpuRate[];
  /** On every price of the list. */
  readonly perMille: PerMille;
}

/** All price lists, oldest first, and all contracts. */
export interface PriceBook {
  readonly versions: readonly PriceVersion[];
  readonly contracts: readonly Contract[];
}

/** How a tenant is treated: `chargeback` owes what it is shown, `showback` is shown it. */
export interface TenantTerms {
  readonly tenant: string;
  readonly mode: "chargeback" | "showback";
  /** How far below zero prepaid credit may go; absent = pays by invoice. */
  readonly creditLimitMicros?: Micros;
}

/** The list that holds at an instant. */
export function versionAt(book: PriceBook, at: Instant): PriceVersion | undefined {
  let found: PriceVersion | undefined;
  for (const version of book.versions) if (version.fromAt <= at) found = version;
  return found;
}

/** The entry that a model falls under: the longest name that fits, `*` last. */
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
