import { hour, type Instant, unitsPerGpu } from "../model/units.ts";
import { divideRounded, type Micros, type Rounding } from "./amount.ts";
import type { LineKey } from "./charge.ts";
import { type Contract, type PriceBook, type PriceVersion, type PriceWindow, rateFor, versionAt } from "./price.ts";

/** Micros for one GPU-hour, core-hour or GiB-hour: `numerator / denominator`, exact. */
export interface UnitPrice {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The terms of one tenant at some time. */
export interface PriceTerms {
  readonly version: PriceVersion;
  readonly contract: Contract | undefined;
  /** The multiplier of the time of day. */
  readonly perMille: number;
}

/** The price list, contract and time of day that apply to a tenant at an instant. */
export function termsAt(
  book: PriceBook,
  windows: readonly PriceWindow[],
  at: Instant,
  tenant: string,
): PriceTerms | undefined {
  const version = versionAt(book, at);
  if (version === undefined) return undefined;
  const contract = book.contracts.findLast((each) => each.tenant === tenant && each.fromAt <= at && at < each.toAt);
  const window = windows.find((each) => each.fromAt <= at && at < each.toAt);
  return { version, contract, perMille: window?.perMille ?? 1000 };
}

const free: UnitPrice = { numerator: 0n, denominator: 1n };

/** The price of a reserved GPU-hour of a quota entry. A floor is there all day, so the time of day does not matter. */
export function reservedPrice({ version, contract }: PriceTerms, entry: string): UnitPrice {
  return listed(version, contract, entry, "reservedMicros", []);
}

/** The price of a GPU-hour beyond the floor. */
export function burstPrice(
  { version, contract, perMille }: PriceTerms,
  about: Pick<LineKey, "model" | "isolation" | "topology" | "profile" | "poolPerMille">,
): UnitPrice {
  const { model, isolation, topology, profile, poolPerMille = 1000 } = about;
  const times = [
    version.isolation[isolation] ?? 1000,
    version.topology[topology] ?? 1000,
    version.profile[profile] ?? 1000,
    perMille,
    poolPerMille,
  ];
  return listed(version, contract, model, "burstMicros", times);
}

/** The credit of a lender for a GPU-hour: a fraction of the list price. */
export function lentPrice({ version, perMille }: PriceTerms, model: string): UnitPrice {
  return listed(version, undefined, model, "burstMicros", [perMille, version.lenderPerMille]);
}

export function corePrice({ version, contract }: PriceTerms): UnitPrice {
  return multiplied(version.cpuMicrosPerCoreHour, [contract?.perMille ?? 1000]);
}

export function memoryPrice({ version, contract }: PriceTerms): UnitPrice {
  return multiplied(version.memoryMicrosPerGiBHour, [contract?.perMille ?? 1000]);
}

/**
 * The contract's rate if it names the model at least as closely as the list does, else the list's rate times the
 * contract's multiplier.
 */
function listed(
  version: PriceVersion,
  contract: Contract | undefined,
  model: string,
  which: "reservedMicros" | "burstMicros",
  times: readonly number[],
): UnitPrice {
  const agreed = rateFor(contract?.gpus ?? [], model);
  const list = rateFor(version.gpus, model);
  if (agreed !== undefined && closeness(agreed.model) >= closeness(list?.model ?? "*")) {
    return multiplied(agreed[which], times);
  }
  return list === undefined ? free : multiplied(list[which], [...times, contract?.perMille ?? 1000]);
}

function closeness(model: string): number {
  return model === "*" ? 0 : model.length;
}

/** Leaves out multipliers of 1, so that equal prices have equal fractions. */
function multiplied(micros: number, times: readonly number[]): UnitPrice {
  let numerator = BigInt(micros);
  let denominator = 1n;
  for (const perMille of times) {
    if (perMille === 1000) continue;
    numerator *= BigInt(perMille);
    denominator *= 1000n;
  }
  return { numerator, denominator };
}

const gpuHour = BigInt(unitsPerGpu) * BigInt(hour);
const coreHour = 1000n * BigInt(hour);
const gibHour = 1024n * BigInt(hour);

/** The quantity that one hour of a GPU, a core or a GiB is. */
export function perHour(kind: LineKey["kind"]): bigint {
  return kind === "cpu" ? coreHour : kind === "memory" ? gibHour : gpuHour;
}

/** What a quantity costs, rounded once. */
export function costOf(kind: LineKey["kind"], quantity: bigint, price: UnitPrice, rounding: Rounding): Micros {
  return divideRounded(quantity * price.numerator, perHour(kind) * price.denominator, rounding);
}
